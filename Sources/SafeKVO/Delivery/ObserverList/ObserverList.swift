internal import CSafeKVO
internal import Synchronization

/// A stored property of a class, as the lists of its observers know it.
struct PropertyKey {
    /// The offset of the property in the object, or another number that no other key of the object has.
    let number: UInt
    let isAtomic: Bool
    let values: Any.Type
}

/// The registrations of all observers of one key of one object.
///
/// The object's ``ObservationRecord`` creates the list when the key is first observed, and never removes it. So a search for a list
/// needs no lock. An event source whose keys come and go keeps its lists itself.
///
/// The record itself is the list of the property that was observed first. So most observed objects need no other object.
@usableFromInline
package class ObserverList: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) The record's lock guards changes of `chain`. Deliveries pin the record, which keeps removed
    // registrations in memory. `hook` and `recordReference` are written before other threads can find the list. The counts and the key paths
    // are atomic. Everything else is constant.

    /// Is set by every initializer.
    // SAFETY: (of the unchecked exclusivity) it is not written later.
    @exclusivity(unchecked) private final var recordReference: Unretained<ObservationRecord>?
    /// The offset of the stored property in the object; zero if the key is not a stored property.
    final let property: UInt
    /// The type of the key's values, or of the source's events.
    @usableFromInline final let events: ObjectIdentifier
    /// The first key path by which the key was observed; equivalent ones, such as `\Sub.x` for `\Base.x`, are compared with it.
    final let spelling = OnceReference<AnyKeyPath>()

    /// `true` if the key is an `@AtomicObserved` property, or a key path that reads one.
    final var readsAtomic: Bool { isAtomic || hook?.readsAtomic ?? false }

    /// The number of computed or nested key paths whose value depends on this key.
    private final let dependents = Atomic<Int32>(0)
    /// Flags for cases in which an assignment needs further checks before it notifies the observers.
    final let interventions = Atomic<UInt32>(0)

    final let chain = RegistrationChain()
    /// The number of registrations (lower 32 bits) and dependent key paths (upper 32 bits) that need a call before the change.
    private final let priorCalls = Atomic<Int64>(0)
    private static let ofDependents: Int64 = 1 << 32
    private final let oldValues = Atomic<Int32>(0)
    /// The number of registrations that need the whole collection, even if only some of its elements change.
    private final let wholeValues = Atomic<Int32>(0)

    private final let changes = Atomic<UInt64>(firstSerial + 2)

    /// Is notified of each registration that is added or removed; usually `nil`.
    private(set) final var hook: (any ObserverListHook)?

    final let nextList = Atomic<UInt>(0)

    // The smallest properties stand last, beside those of a record, so that the record takes less memory.

    /// `true` if the list retains its record; `false` if the record retains the list.
    private final let keepsRecord: Bool
    /// `true` if the key is an `@AtomicObserved` property, which any thread may change.
    final let isAtomic: Bool
    /// `true` while code mutates the property in place, so that a read of the property would trap.
    final let isOpen = Atomic<Bool>(false)

    /// Creates a list that the record retains.
    package init(record: ObservationRecord, events: Any.Type, keyPath: AnyKeyPath? = nil) {
        unsafe recordReference = Unretained(record)
        keepsRecord = false
        isAtomic = false
        property = 0
        self.events = ObjectIdentifier(events)
        record.countList()
        if let keyPath { spelling.store(keyPath) }
    }

    /// Creates the list of a property; it then does not know a key path yet.
    init(of key: PropertyKey, record: ObservationRecord) {
        unsafe recordReference = Unretained(record)
        keepsRecord = false
        isAtomic = key.isAtomic
        property = key.number
        events = ObjectIdentifier(key.values)
        record.countList()
    }

    /// Creates the list that a record itself is, if a property is observed first.
    init(partOfRecord key: PropertyKey?) {
        keepsRecord = false
        isAtomic = key?.isAtomic ?? false
        property = key?.number ?? 0
        events = ObjectIdentifier(key?.values ?? Never.self)
        unsafe recordReference = Unretained(word: Unretained(self).word)
    }

    /// Creates a list that the caller keeps, instead of the object's record of observations.
    ///
    /// The record cannot find the list. So when the observed object is deallocated, the caller must end the list's registrations.
    package init(keeping record: ObservationRecord, events: ObjectIdentifier, hook: any ObserverListHook) {
        let reference = Unretained(record)
        unsafe reference.retain()
        unsafe recordReference = reference
        keepsRecord = true
        isAtomic = false
        property = 0
        self.events = events
        self.hook = hook
    }

    convenience init(
        record: ObservationRecord, events: Any.Type, keyPath: AnyKeyPath? = nil, hook: (Unretained<ObserverList>) -> any ObserverListHook
    ) {
        self.init(record: record, events: events, keyPath: keyPath)
        self.hook = hook(Unretained(self))
    }

    /// Creates the list of a key whose changes another system reports.
    convenience init(
        of key: PropertyKey, record: ObservationRecord, keyPath: AnyKeyPath, hook: (Unretained<ObserverList>) -> any ObserverListHook
    ) {
        self.init(of: key, record: record)
        spelling.store(keyPath)
        self.hook = hook(Unretained(self))
    }

    deinit {
        if keepsRecord { unsafe recordReference?.release() }
    }

    @inline(__always)
    private final var reference: Unretained<ObservationRecord> {
        // SAFETY: every initializer stores the reference.
        unsafe recordReference.unsafelyUnwrapped
    }

    /// The object that registrations retain to keep this list alive: the list itself, or the record that owns the list.
    final var keeper: Unretained<AnyObject> { keepsRecord ? Unretained(self).erased : reference.erased }

    final var record: ObservationRecord { withRecord { $0 } }

    final var recordWord: UInt { reference.word }

    /// `true` if the key is a property inside the object, whose number is its offset.
    final var isOfStoredProperty: Bool { property != 0 && withRecord { property < UInt($0.subjectSize) } }

    /// `true` if this list is a record, and not another object.
    final var isRecord: Bool { recordWord == Unretained(self).word }

    @inline(__always)
    final func withRecord<Result>(_ body: (ObservationRecord) -> Result) -> Result {
        // SAFETY: if `keepsRecord` is `true`, this list retains the record. Otherwise, the record owns this list or is this list, and
        // whoever uses this list retains the record.
        unsafe reference.with(body)
    }

    @usableFromInline
    final var wantsPriorCalls: Bool { priorCalls.load(ordering: .relaxed) > 0 }

    @usableFromInline
    final var wantsOldValues: Bool { oldValues.load(ordering: .relaxed) > 0 }

    final var wantsWholeValues: Bool { wholeValues.load(ordering: .relaxed) > 0 }

    final var hasDependents: Bool { dependentCount > 0 }

    private final var dependentCount: Int32 { dependents.load(ordering: .relaxed) }

    // MARK: The numbers of changes

    /// The serial number of the last change; a value that is read later includes that change.
    @usableFromInline
    package final var lastChange: UInt64 { changes.load(ordering: .acquiring) }

    /// Assigns the next serial number to a change that has just been made, and returns it.
    package final func numberChange() -> UInt64 { changes.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue }

    /// Gives a change its serial number, faster than `numberChange()`.
    ///
    /// Only one thread at a time may call this function.
    final func numberChangeOfOneThread() -> UInt64 {
        let number = changes.load(ordering: .relaxed) &+ 1
        changes.store(number, ordering: .releasing)
        SchedulePoint.pass(.afterNumber)
        return number
    }

    // MARK: Key paths

    /// Stops the program if an observer expects events of another type than this list delivers.
    ///
    /// Does nothing if the list is for `\.self`: the value is the object, which observers may expect as an instance of any of its classes.
    @usableFromInline
    @inline(never)
    final func accept(_ type: Any.Type) {
        if type is AnyClass, withRecord({ $0.entireListReference }) == Unretained(self) { return }
        preconditionFailure("Internal error of SafeKVO: an observer of `\(type)` would get events of another type. Please report it.")
    }

    final var hasSpelling: Bool { spelling.reference != nil }

    /// The key path of the observed property, in the spelling that was used first; `nil` if it is not known yet.
    @usableFromInline
    final var keyPath: AnyKeyPath? { spelling.object }

    // MARK: Adding and removing infos

    /// Adds a registration at the end, or in the place of `replaced`, and lets the hook know.
    ///
    /// Returns `false` if the observation has ended or the object is being deallocated.
    final func link(_ info: ObservationInfo, inPlaceOf replaced: ObservationInfo? = nil) -> Bool {
        let isLinked = withRecord { record in
            record.lock.withLock {
                if record.isDead || info.isOver { return false }
                record.noteLinking(info)
                count(info.flags, by: 1)
                if info.isDependency { dependents.wrappingAdd(1, ordering: .relaxed) }
                if let replaced, replaced.isLinked {
                    info.order = replaced.order
                    chain.insert(info, after: Unretained(replaced))
                } else {
                    chain.append(info)
                }
                return true
            }
        }
        if isLinked { hook?.didLink(info, to: self) }
        return isLinked
    }

    /// The key's name in diagnostics, or `nil` to use the key path.
    final var title: String? { hook?.listName }

    final func unlink(_ info: ObservationInfo) {
        let removed: (reclaimed: Reclaimed, rest: (() -> Void)?)? = withRecord { record in
            record.lock.withLock {
                guard info.isLinked else { return nil }
                count(info.flags, by: -1)
                if info.isDependency { dependents.wrappingSubtract(1, ordering: .relaxed) }
                record.noteUnlinking(info)
                let rest = hook?.noteUnlinking(info)
                return (record.retireLocked(chain.remove(info)), rest)
            }
        }
        guard let removed, let hook else { return }
        removed.rest?()
        hook.didUnlink(info, from: self)
    }

    /// `change` is 1 to add an observer's options to the counts of this list, or -1 to subtract them.
    package final func count(_ flags: InfoFlags, by change: Int32, isOfDependent: Bool = false) {
        if flags.contains(.priorCall) {
            priorCalls.wrappingAdd(Int64(change) * (isOfDependent ? Self.ofDependents : 1), ordering: .relaxed)
        }
        if flags.wantsOldValue { oldValues.wrappingAdd(change, ordering: .relaxed) }
        if flags.contains(.wholeValue) { wholeValues.wrappingAdd(change, ordering: .relaxed) }
    }
}
