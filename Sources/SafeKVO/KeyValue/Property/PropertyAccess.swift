/// The slow paths of an observed property: what a getter does while it is tracked, and a setter while somebody observes the object.
///
/// Each is out of line, so that the fast path saves no registers for it.
@usableFromInline
enum PropertyAccess {
    /// Tells this thread's recorder that the property is about to be read.
    @inlinable
    @inline(never)
    static func recordRead<Owner: KeyValueObservable, Value>(
        _ owner: Owner, property: UInt, keyPath: () -> ReferenceWritableKeyPath<Owner, Value>
    ) {
        AccessRecorder.current?.willRead(owner, property: property, keyPath: keyPath)
    }

    /// What identifies a property without a size: a number that no offset and no address has.
    @usableFromInline
    static func identity(ofSizeless keyPath: AnyKeyPath) -> UInt {
        UInt(bitPattern: keyPath.hashValue) | (1 << (UInt.bitWidth - 1))
    }

    /// The list of the observers of a property that was asked for by this key path before.
    @usableFromInline
    static func list(_ registrar: borrowing KeyValueRegistrar, spelled keyPath: AnyKeyPath) -> Unretained<ObserverList>? {
        registrar.observers.record?.with { $0.propertyList(spelled: keyPath) }
    }

    /// The list of a property's observers.
    @usableFromInline
    static func list(_ registrar: borrowing KeyValueRegistrar, _ property: UInt) -> Unretained<ObserverList>? {
        registrar.observers.record?.with { $0.existingList(ofProperty: property) }
    }
}
