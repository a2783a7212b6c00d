public import CSafeKVO
internal import Synchronization

/// The parts of the getters and setters of observed properties that run only in some situations, so that the usual path stays fast.
///
/// A setter calls these functions while the object is observed, and a getter while an ``AccessRecorder`` records what a key path reads.
/// Most are not inlined, so that the accessors' fast paths need not save registers.
@usableFromInline
enum PropertyAccess {
    /// Reports a read of a property to the ``AccessRecorder``, which compares the read with those of the key path's previous evaluation.
    ///
    /// Returns nil if the reads are the same. Otherwise returns `property`, and the caller must record the read.
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

    @_alwaysEmitIntoClient
    @inline(__always)
    static func didRead<Value>(_ value: Value) {
        if _isPOD(Value.self) || MemoryLayout<Value>.size < MemoryLayout<UInt>.size { return }
        // SAFETY: the value has at least the size of a word. The word is compared and never dereferenced.
        let word = unsafe withUnsafeBytes(of: value) { unsafe $0.loadUnaligned(as: UInt.self) }
        let isOneWord = MemoryLayout<Value>.size == MemoryLayout<UInt>.size
        noteValue(word, mayBeObject: Value.self is AnyClass || isOneWord && _isOptional(Value.self))
    }

    @usableFromInline
    static func noteValue(_ word: UInt, mayBeObject: Bool) {
        AccessRecorder.withCurrent { $0.noteValue(word, mayBeObject: mayBeObject) }
    }

    @_alwaysEmitIntoClient
    @inline(never)
    static func recordAccess<Owner: KeyValueObservable>(_ owner: Owner, _ keyPath: AnyKeyPath) {
        AccessRecorder.withCurrent { $0.didAccess(owner, keyPath) }
    }

    @_alwaysEmitIntoClient
    @inline(never)
    static func recordRead<Owner: KeyValueObservable, Value>(
        _ owner: Owner, property: UInt, keyPath: () -> ReferenceWritableKeyPath<Owner, Value>
    ) {
        AccessRecorder.withCurrent { $0.willRead(owner, property: property, keyPath: keyPath, atomic: nil) }
    }

    @_alwaysEmitIntoClient
    @inline(never)
    static func recordRead<Owner: KeyValueObservable, Value: Sendable>(
        _ owner: Owner, property: UInt, keyPath: () -> ReferenceWritableKeyPath<Owner, Value>,
        storage: () -> ReferenceWritableKeyPath<Owner, AtomicObserved<Value>>
    ) {
        let collection = AtomicCollection(owner, property, keyPath(), storage())
        AccessRecorder.withCurrent { $0.willRead(owner, property: property, keyPath: keyPath, atomic: collection) }
    }

    /// Returns the number that identifies a property of size zero, as the offset identifies any other stored property.
    ///
    /// The highest bit is set, so the number differs from every offset.
    @usableFromInline
    static func identity(ofSizeless keyPath: AnyKeyPath) -> UInt {
        UInt(bitPattern: keyPath.hashValue) | (1 << (UInt.bitWidth - 1))
    }

    /// Measures the offset of a property that is about to be read, in the objects of a class.
    ///
    /// The measurement uses a temporary, uninitialized object, because another thread may be using `owner`. The closure `address` is called
    /// with the temporary object, so the closure must not read or write the property. Only objects whose memory Swift counts can be imitated
    /// so. Other objects are measured themselves.
    @_alwaysEmitIntoClient
    @inline(__always)
    static func offset<Owner: AnyObject>(in owner: Owner, _ address: (Owner) -> UInt) -> UInt {
        // SAFETY: a class reference is the address of the class's metadata, which is never freed.
        let type = unsafe unsafeBitCast(type(of: owner), to: UnsafeRawPointer.self)
        let size = unsafe safekvo_instance_size(type)
        #if canImport(ObjectiveC) || SAFEKVO_FOREIGN_COUNTS
            if unsafe !safekvo_is_counted_by_swift(type) { return checked(address(owner) &- Unretained(owner).word, size, Owner.self) }
        #endif
        // SAFETY: `blank` imitates an object, in memory with the size and the alignment of the class. The runtime marks it as not on the
        // heap, so balanced retains and releases free nothing. The object is passed only to the closure `address`, which reads and writes
        // no property.
        return unsafe withUnsafeTemporaryAllocation(byteCount: size, alignment: 16) { memory in
            guard let start = memory.baseAddress else { return 0 }
            let blank = unsafe Unmanaged<Owner>.fromOpaque(swift_initStackObject(type, start))
            let offset = unsafe blank._withUnsafeGuaranteedRef { address($0) &- UInt(bitPattern: start) }
            return checked(offset, size, Owner.self)
        }
    }

    /// Measures the offset of a property that is about to be written, in the object itself.
    ///
    /// A key path `storage:` that the program has made may lead to a computed property, whose accessors must not run with an uninitialized
    /// object. Here they run with `owner`, and the program stops, because they yield an address outside of it.
    @_alwaysEmitIntoClient
    @inline(__always)
    static func offset(toWrite owner: AnyObject, _ address: UInt) -> UInt {
        // SAFETY: a class reference is the address of the class's metadata, which is never freed.
        let size = unsafe safekvo_instance_size(unsafeBitCast(type(of: owner), to: UnsafeRawPointer.self))
        return checked(address &- Unretained(owner).word, size, type(of: owner))
    }

    @_alwaysEmitIntoClient
    @inline(__always)
    static func checked(_ offset: UInt, _ size: Int, _ type: AnyClass) -> UInt {
        if offset >= UInt(bitPattern: size) { refuseStorage(type) }
        return offset
    }

    static func makeList<Owner: KeyValueObservable>(
        of owner: Owner, _ property: UInt, isInherited: Bool, isAtomic: Bool, keyPath: () -> AnyKeyPath
    ) -> ObserverList {
        if let known = namedList(of: owner, owner.keyValueRegistrar, property) { return unsafe known.object }
        let keyPath = keyPath()
        let (isAutomatic, isDependent) = Recording.suspended {
            (
                type(of: owner).automaticallyNotifiesObservers(for: ObservedKeyPath(keyPath)),
                !DeclaredDependencies.keyPaths(of: owner, keyPath).isEmpty
            )
        }
        let key = PropertyKey(number: property, isAtomic: isAtomic, values: type(of: keyPath).valueType)
        let list = owner.keyValueRegistrar.observers.list(of: key, in: owner)
        if !list.hasSpelling {
            if isInherited { list.noteInheritance() }
            if !isAutomatic { list.announceByHandOnly() }
            if isDependent { list.noteDependencies() }
            list.spelling.store(keyPath)
        }
        return list
    }

    /// Finds the list of a property's observers; returns nil if the list does not yet know the property's key path.
    ///
    /// A write through the projected value `$name` may have made such a list, because `$name` does not know the key path.
    @usableFromInline
    static func namedList(
        of owner: AnyObject, _ registrar: borrowing KeyValueRegistrar, _ property: UInt
    ) -> Unretained<ObserverList>? {
        named(list(of: owner, registrar, property))
    }

    /// Returns the observer list, or nil if the list does not know the property's key path.
    ///
    /// A write through the projected value `$name` may have made such a list, because `$name` does not know the key path.
    private static func named(_ list: Unretained<ObserverList>?) -> Unretained<ObserverList>? {
        list.flatMap { with($0) { $0.hasSpelling } ? $0 : nil }
    }

    @inline(__always)
    private static func with<Result>(_ list: Unretained<ObserverList>, _ body: (ObserverList) -> Result) -> Result {
        // SAFETY: the callers have found the list in the record of an object that they, or their callers, retain.
        unsafe list.with(body)
    }

    /// Finds the list of a property's observers; returns nil if there is none.
    ///
    /// If the whole object is observed with `\.self`, makes a missing list, because observers of `\.self` are notified through it. `Owner`
    /// must be the class that declares the property.
    @usableFromInline
    static func list<Owner: KeyValueObservable>(
        of owner: Owner, _ property: UInt, isAtomic: Bool = false, events: Any.Type, keyPath: () -> AnyKeyPath?
    ) -> Unretained<ObserverList>? {
        guard let record = owner.keyValueRegistrar.record(ownedBy: owner) else { return nil }
        // SAFETY: the caller retains `owner`, and `owner` retains its record of observations.
        let known = unsafe record.with { $0.existingList(ofProperty: property) }
        if let named = named(known) { return named }
        return unsafe record.with { record in
            guard known != nil || record.observedEntireList != nil, !isBeingDestroyed(owner) else { return nil }
            if let keyPath = keyPath() {
                let isInherited = type(of: owner) != Owner.self
                return Unretained(makeList(of: owner, property, isInherited: isInherited, isAtomic: isAtomic, keyPath: { keyPath }))
            }
            let key = PropertyKey(number: property, isAtomic: isAtomic, values: events)
            return known ?? Unretained(owner.keyValueRegistrar.observers.list(of: key, in: owner))
        }
    }

    @usableFromInline
    static func list(
        of owner: AnyObject, _ registrar: borrowing KeyValueRegistrar, spelled keyPath: AnyKeyPath
    ) -> Unretained<ObserverList>? {
        registrar.withRecord(ownedBy: owner) { $0.propertyList(spelled: keyPath) } ?? nil
    }

    /// Finds the list of the property that a key path names, to add an observer; makes the list if the property is known of the class.
    @usableFromInline
    static func listToObserve(
        of owner: AnyObject, _ registrar: borrowing KeyValueRegistrar, spelled keyPath: AnyKeyPath
    ) -> Unretained<ObserverList>? {
        if let present = list(of: owner, registrar, spelled: keyPath) { return present }
        guard !isBeingDestroyed(owner), let known = KnownProperties.shared.property(keyPath) else { return nil }
        // The object keeps the list.
        return known.list(in: owner, registrar).map { Unretained($0) }
    }

    @usableFromInline
    static func list(of owner: AnyObject, _ registrar: borrowing KeyValueRegistrar, _ property: UInt) -> Unretained<ObserverList>? {
        registrar.withRecord(ownedBy: owner) { $0.existingList(ofProperty: property) } ?? nil
    }

    @_alwaysEmitIntoClient
    @inline(__always)
    static func list<Owner: KeyValueObservable, Value>(
        of owner: Owner, _ property: UInt, _ keyPath: () -> ReferenceWritableKeyPath<Owner, Value>
    ) -> Unretained<ObserverList>? {
        list(of: owner, owner.keyValueRegistrar, property) ?? list(of: owner, property, events: Value.self, keyPath: keyPath)
    }

    /// Finds the observers of a property that is about to be written; the list is nil if there is none.
    ///
    /// `isReady` is `true` if the write needs no work before it, only a notification of the list afterwards. If it is `false` and there is no
    /// list, one must be made for the observers of `\.self`. `offset` is where the value lies in the object; the program stops if that is
    /// outside.
    @usableFromInline
    static func listToTell(
        of owner: AnyObject, _ registrar: borrowing KeyValueRegistrar, _ property: UInt, offset: UInt
    ) -> (list: Unretained<ObserverList>?, isReady: Bool) {
        registrar.withRecord(ownedBy: owner) { record in
            guard let list = record.existingList(ofProperty: property) else {
                // An offset that has a list was checked when it was measured.
                if offset >= UInt(record.subjectSize) { refuseStorage(type(of: owner)) }
                return (nil, !record.mayBeObservedEntirely)
            }
            return (list, !safekvo_has_batch() && with(list) { !$0.hasInterventions && !$0.wantsPriorCalls && !$0.wantsOldValues })
        } ?? (nil, true)
    }

    /// Stops the program, because `storage:` leads out of the object, so that its address is not that of a property.
    @usableFromInline
    @inline(never)
    static func refuseStorage(_ type: AnyClass) -> Never {
        FatalMistake.stop(
            """
            The key path `storage:` names no stored property of `\(type)`. Leave calls of a property wrapper's static subscript to the compiler.
            """)
    }

    @usableFromInline
    static func notify(_ list: Unretained<ObserverList>, _ event: EventPointer, box: (EventPointer) -> EventBox) {
        guard var delivery = Delivery(to: list) else { return }
        let (cutoff, number) = (delivery.settledCutoff, delivery.numberChangeOfOneThread())
        // SAFETY: the caller has made the pointer from a mutable event, which begins with a `KeyValueEventHeader`.
        unsafe event.mutable(as: KeyValueEventHeader.self).pointee.settle(cutoff, number)
        delivery.deliver(event, onlyPrior: false, box: box)
        delivery.finish()
    }

    @usableFromInline
    @inline(never)
    static func openSilently(
        _ owner: AnyObject, _ registrar: borrowing KeyValueRegistrar, _ property: UInt
    ) -> Unretained<ObserverList>? {
        let list = list(of: owner, registrar, property)
        if let list { with(list) { $0.isOpen.store(true, ordering: .relaxed) } }
        return list
    }

    /// Ends a mutation in place that notifies nobody, and evaluates the key paths that waited for its end.
    @usableFromInline
    @inline(never)
    static func closeSilently(_ list: Unretained<ObserverList>, of owner: AnyObject) {
        with(list) {
            $0.isOpen.store(false, ordering: .relaxed)
            $0.handOver()
        }
        KeyValueEventHeader.notifyDependentsOfEnd(of: owner, list)
    }

    /// Begins to notify observers of a change of a property; returns nil if the change itself must not notify them.
    ///
    /// The result is nil inside a manual notification of the property, and if the class has chosen only manual notifications for the
    /// property.
    @usableFromInline
    static func delivery(to list: Unretained<ObserverList>) -> Delivery? {
        if !safekvo_has_batch() && !with(list, { $0.hasInterventions }) { return Delivery(to: list) }
        guard with(list, { intervene($0) }), var delivery = Delivery(to: list) else { return nil }
        delivery.readsThroughGetter = delivery.withList { $0.readsThroughGetter }
        return delivery
    }

    @inline(never)
    private static func intervene(_ list: ObserverList) -> Bool {
        !list.swallowsChange() && !list.isAnnouncedByHandOnly
    }

    static func warnOfOverwriting(_ owner: AnyObject, _ property: UInt, _ position: SourcePosition) {
        let name = "\(type(of: owner)).\(PropertyName.name(of: type(of: owner), property) ?? "property")"
        ObservationDiagnostics.warn(
            .overwrittenChange, at: position,
            """
            `\(name)` was written on the same thread while \(position == .unknown ? "an edit of its elements" : "`update(_:)` at \(position)") \
            worked out its new value, which then overwrote that write. Inside the closure, change the closure's parameter, not the property.
            """)
    }
}
