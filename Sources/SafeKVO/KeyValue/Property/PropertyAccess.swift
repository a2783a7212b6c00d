public import CSafeKVO
internal import Synchronization

/// The slow paths of an observed property: what a getter does while it is tracked, and a setter while somebody observes the object.
///
/// Each is out of line, so that the fast path saves no registers for it.
@usableFromInline
enum PropertyAccess {
    /// Tells this thread's recorder that a property is about to be read.
    ///
    /// - Returns: nil if the recorder expected that, and need know no more; otherwise the property.
    @usableFromInline
    static func unexpectedRead(_ owner: AnyObject, _ registrar: borrowing KeyValueRegistrar, _ property: UInt) -> UInt? {
        let record = registrar.record(ownedBy: owner)?.word ?? 0
        let isExpected =
            AccessRecorder.withCurrent {
                $0.noteOwner(Unretained(owner).word)
                return $0.expects(record, property)
            } ?? true
        return isExpected ? nil : property
    }

    /// Tells this thread's recorder what was read, if that may be an object.
    @inlinable
    @inline(__always)
    static func didRead<Value>(_ value: Value) {
        if _isPOD(Value.self) || MemoryLayout<Value>.size < MemoryLayout<UInt>.size { return }
        // SAFETY: the value has that many bytes; the word is compared and never followed.
        let word = unsafe withUnsafeBytes(of: value) { unsafe $0.loadUnaligned(as: UInt.self) }
        if noteValue(word) { recordValue(value, word) }
    }

    @usableFromInline
    static func noteValue(_ word: UInt) -> Bool {
        AccessRecorder.withCurrent { $0.noteValue(word) } ?? false
    }

    /// Tells this thread's recorder what was read, unexpectedly.
    @inlinable
    @inline(never)
    static func recordValue<Value>(_ value: Value, _ word: UInt) {
        let object = value as? any KeyValueObservable
        // What is not the object's address cannot be compared with the next value.
        let isComparable = object.map { UInt(bitPattern: ObjectIdentifier($0)) == word } ?? true
        let isNil = word == 0 && object == nil && _isOptional(Value.self)
        AccessRecorder.withCurrent {
            $0.didReturn(isComparable ? object : nil, isNil: isNil, mayHoldObjects: !isNil && Value.self != String.self)
        }
    }

    /// Tells this thread's recorder that a getter reads something that is announced by hand.
    @inlinable
    @inline(never)
    static func recordAccess<Owner: KeyValueObservable>(_ owner: Owner, _ keyPath: AnyKeyPath) {
        AccessRecorder.withCurrent { $0.didAccess(owner, keyPath) }
    }

    /// Tells this thread's recorder what is about to be read, unexpectedly.
    @inlinable
    @inline(never)
    static func recordRead<Owner: KeyValueObservable, Value>(
        _ owner: Owner, property: UInt, keyPath: () -> ReferenceWritableKeyPath<Owner, Value>, storage: () -> AnyKeyPath?
    ) {
        AccessRecorder.withCurrent { $0.willRead(owner, property: property, keyPath: keyPath, storage: storage()) }
    }

    /// What identifies a property without a size: a number that no offset has.
    @usableFromInline
    static func identity(ofSizeless keyPath: AnyKeyPath) -> UInt {
        UInt(bitPattern: keyPath.hashValue) | (1 << (UInt.bitWidth - 1))
    }

    /// Where a property is stored in the objects of a class, counted from where they begin.
    ///
    /// It is found in a blank: memory of this call that has the header of an object of the class, and is as large. So nothing of the owner is
    /// accessed but its class. Other threads may read the property meanwhile, and an access to it may be open.
    ///
    /// - Parameters:
    ///   - owner: An object of the class.
    ///   - address: Finds the address of the property in an object, and neither reads nor writes it.
    /// - Returns: the offset.
    @inlinable
    @inline(__always)
    static func offset<Owner: AnyObject>(in owner: Owner, _ address: (Owner) -> UInt) -> UInt {
        // SAFETY: class objects live as long as the program.
        let type = unsafe unsafeBitCast(type(of: owner), to: UnsafeRawPointer.self)
        let size = unsafe safekvo_instance_size(type)
        // SAFETY: the memory is as large and as aligned as an object of the class. Its header is one that the runtime makes for objects that
        // are not on the heap: retaining and releasing it in turn frees nothing. Nobody but `address` sees it, and that touches no property.
        // Where Objective-C counts the references, the header is the class, and the counts in its table return to where they were.
        return unsafe withUnsafeTemporaryAllocation(byteCount: size, alignment: 16) { memory in
            guard let start = memory.baseAddress else { return 0 }
            let blank = unsafe Unmanaged<Owner>.fromOpaque(swift_initStackObject(type, start))
            return unsafe blank._withUnsafeGuaranteedRef { address($0) &- UInt(bitPattern: start) }
        }
    }

    /// The list of a property of an object, made if there is none.
    ///
    /// - Parameters:
    ///   - owner: The object.
    ///   - property: The property.
    ///   - isInherited: `true` if another class than the object's declares the property.
    ///   - keyPath: Forms its key path.
    ///   - record: The object's record.
    /// - Returns: the list.
    static func makeList<Owner: KeyValueObservable>(
        of owner: Owner, _ property: UInt, isInherited: Bool, keyPath: () -> AnyKeyPath, in record: ObservationRecord
    ) -> ObserverList {
        if let known = record.existingList(ofProperty: property), unsafe known.with({ $0.hasSpelling }) { return unsafe known.object }
        let keyPath = keyPath()
        let (isAutomatic, isDependent) = Recording.suspended {
            (
                type(of: owner).automaticallyNotifiesObservers(for: ObservedKeyPath(keyPath)),
                !DeclaredDependencies.keyPaths(of: owner, keyPath).isEmpty
            )
        }
        let list = record.properties.list(
            where: { $0.property == property },
            orMake: {
                let list = ObserverList(
                    record: record, property: property, isInherited: isInherited, events: type(of: keyPath).valueType, keyPath: keyPath)
                if !isAutomatic { list.announceByHandOnly() }
                if isDependent { list.noteDependencies() }
                return list
            })
        if !list.hasSpelling {
            if isInherited { list.noteInheritance() }
            if !isAutomatic { list.announceByHandOnly() }
            if isDependent { list.noteDependencies() }
            list.addSpelling(keyPath)
        }
        record.didMakeList()
        return list
    }

    /// The list of a property, made without being asked for if somebody observes the object as a whole.
    ///
    /// - Parameters:
    ///   - owner: The object, by the class that declares the property if a key path can be formed.
    ///   - property: The property.
    ///   - events: The type of its values.
    ///   - keyPath: Forms its key path, or none if it cannot be told, so that the first who knows one says how changes are announced.
    /// - Returns: the list; nil if nobody observes the property.
    static func list<Owner: KeyValueObservable>(
        of owner: Owner, _ property: UInt, events: Any.Type, keyPath: () -> AnyKeyPath?
    ) -> Unretained<ObserverList>? {
        guard let record = owner.keyValueRegistrar.record(ownedBy: owner) else { return nil }
        let known = unsafe record.with { $0.existingList(ofProperty: property) }
        if let known, unsafe known.with({ $0.hasSpelling }) { return known }
        guard unsafe known != nil || record.with({ $0.isEntirelyObserved }), unsafe !Unretained(owner).isBeingDestroyed else { return nil }
        if let keyPath = keyPath() {
            let isInherited = type(of: owner) != Owner.self
            return Unretained(makeList(of: owner, property, isInherited: isInherited, keyPath: { keyPath }, in: unsafe record.object))
        }
        return unsafe known
            ?? record.with { record in
                let list = record.properties.list(
                    where: { $0.property == property }, orMake: { ObserverList(record: record, property: property, events: events) })
                record.didMakeList()
                return Unretained(list)
            }
    }

    /// The list of a property that has none, if somebody observes its object as a whole.
    @inlinable
    @inline(never)
    static func listOfEntirelyObserved<Owner: KeyValueObservable, Value>(
        _ owner: Owner, _ property: UInt, _ keyPath: () -> ReferenceWritableKeyPath<Owner, Value>
    ) -> Unretained<ObserverList>? {
        if !isEntirelyObserved(owner, owner.keyValueRegistrar) { return nil }
        return list(of: owner, property, spelled: keyPath())
    }

    /// Whether somebody observes an object as a whole.
    @usableFromInline
    static func isEntirelyObserved(_ owner: AnyObject, _ registrar: borrowing KeyValueRegistrar) -> Bool {
        registrar.withRecord(ownedBy: owner) { $0.isEntirelyObserved } ?? false
    }

    /// The list of a property, made without being asked for if somebody observes the object as a whole.
    @usableFromInline
    static func list<Owner: KeyValueObservable>(
        of owner: Owner, _ property: UInt, spelled keyPath: AnyKeyPath
    ) -> Unretained<ObserverList>? {
        list(of: owner, property, events: type(of: keyPath).valueType, keyPath: { keyPath })
    }

    /// The list of the observers of a property that was asked for by this key path before.
    @usableFromInline
    static func list(
        of owner: AnyObject, _ registrar: borrowing KeyValueRegistrar, spelled keyPath: AnyKeyPath
    ) -> Unretained<ObserverList>? {
        registrar.withRecord(ownedBy: owner) { $0.propertyList(spelled: keyPath) } ?? nil
    }

    /// The list of a property's observers.
    @usableFromInline
    static func list(of owner: AnyObject, _ registrar: borrowing KeyValueRegistrar, _ property: UInt) -> Unretained<ObserverList>? {
        registrar.withRecord(ownedBy: owner) { $0.existingList(ofProperty: property) } ?? nil
    }

    /// The list of a property's observers, made if there is none and somebody observes the object as a whole.
    @inlinable
    @inline(never)
    static func list<Owner: KeyValueObservable, Value>(
        of owner: Owner, _ property: UInt, _ keyPath: () -> ReferenceWritableKeyPath<Owner, Value>
    ) -> Unretained<ObserverList>? {
        list(of: owner, owner.keyValueRegistrar, property) ?? listOfEntirelyObserved(owner, property, keyPath)
    }

    /// Whether an assignment need tell nobody before it is made, and is announced by itself.
    @usableFromInline
    static func isToldAfterwards(_ list: Unretained<ObserverList>) -> Bool {
        if safekvo_has_batch() { return false }
        return unsafe list.with { !$0.hasInterventions && !$0.wantsPriorCalls && !$0.wantsOldValues }
    }

    /// Tells the observers of an assignment that was made.
    @usableFromInline
    static func tell(_ list: Unretained<ObserverList>, _ event: UnsafeMutableRawPointer, box: (EventPointer) -> EventBox) {
        guard var delivery = Delivery(to: list) else { return }
        // SAFETY: the event is the caller's; the header is the first thing in it.
        let header = unsafe event.assumingMemoryBound(to: KeyValueEventHeader.self)
        unsafe header.pointee.limit = delivery.settledLimit
        unsafe header.pointee.number = delivery.numberChangeOfOneThread()
        delivery.deliver(unsafe EventPointer(UnsafeRawPointer(event)), onlyPrior: false, box: box)
        delivery.finish()
    }

    /// Says that a property is open for change in place that will tell nothing of that.
    @usableFromInline
    @inline(never)
    static func openSilently(
        _ owner: AnyObject, _ registrar: borrowing KeyValueRegistrar, _ property: UInt
    ) -> Unretained<ObserverList>? {
        let list = list(of: owner, registrar, property)
        unsafe list?.with { $0.isOpen.store(true, ordering: .relaxed) }
        return list
    }

    /// Says that it is open no longer: paths may be evaluated that had to wait.
    @usableFromInline
    @inline(never)
    static func closeSilently(_ list: Unretained<ObserverList>, of owner: AnyObject) {
        unsafe list.with { $0.isOpen.store(false, ordering: .relaxed) }
        KeyValueEventHeader.tellDependents(.closed, of: owner, list)
    }

    /// The delivery of an assignment; nil if it is not announced, or not by itself.
    @usableFromInline
    static func delivery(to list: Unretained<ObserverList>) -> Delivery? {
        if unsafe !safekvo_has_batch() && !list.with({ $0.hasInterventions }) { return Delivery(to: list) }
        guard var delivery = unsafe intervene(list.object) else { return nil }
        delivery.readsThroughGetter = unsafe list.with { $0.readsThroughGetter }
        return delivery
    }

    /// Begins the delivery of an assignment that may be part of a manual notification, or not be announced at all, and informs a batch.
    @inline(never)
    private static func intervene(_ list: ObserverList) -> Delivery? {
        let isChangingHere = list.isChangingHere
        // A batch must not keep the present value of what is about to change in place, except where nothing will announce the change.
        if isChangingHere || !list.isAnnouncedByHandOnly { ChangeBatch.willChange(Unretained(list)) }
        return isChangingHere || list.isAnnouncedByHandOnly ? nil : Delivery(to: Unretained(list))
    }
}
