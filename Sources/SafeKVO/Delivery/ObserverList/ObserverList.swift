internal import CSafeKVO
internal import Synchronization

/// The registrations of all observers of one key of one object.
///
/// The object's ``ObservationRecord`` creates the list when the key is first observed, and never removes it. So a search for a list
/// needs no lock. An event source whose keys come and go keeps its lists itself.
@usableFromInline
package final class ObserverList: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) The record's lock guards changes of `chain`. Deliveries pin the record, which keeps removed
    // registrations in memory. `hook` is written before other threads can find the list. The counts and the key paths are atomic.
    // Everything else is constant.

    private let recordReference: Unretained<ObservationRecord>
    /// The offset of the stored property in the object; zero if the key is not a stored property.
    let property: UInt
    /// The type of the key's values, or of the source's events.
    @usableFromInline final let events: ObjectIdentifier
    /// The first key path by which the key was observed; equivalent ones, such as `\Sub.x` for `\Base.x`, are compared with it.
    let spelling = OnceReference<AnyKeyPath>()

    /// `true` if the key is an `@AtomicObserved` property, or a key path that reads one.
    var readsAtomic: Bool { isAtomic || hook?.readsAtomic ?? false }

    // Small properties stand side by side, so that the list takes less memory.

    /// The number of computed or nested key paths whose value depends on this key.
    private let dependents = Atomic<Int32>(0)
    /// `true` if the list retains its record; `false` if the record retains the list.
    private let keepsRecord: Bool
    /// `true` if the key is an `@AtomicObserved` property, which any thread may change.
    let isAtomic: Bool
    /// `true` while code mutates the property in place, so that a read of the property would trap.
    let isOpen = Atomic<Bool>(false)
    /// Flags for cases in which an assignment needs further checks before it notifies the observers.
    let interventions = Atomic<UInt32>(0)

    let chain = LinkedChain()
    /// The number of registrations (lower 32 bits) and dependent key paths (upper 32 bits) that need a call before the change.
    private let priorCalls = Atomic<Int64>(0)
    private static let ofDependents: Int64 = 1 << 32
    private let oldValues = Atomic<Int32>(0)
    /// The number of registrations that need the whole collection, even if only some of its elements change.
    private let wholeValues = Atomic<Int32>(0)

    private let changes = Atomic<UInt64>(firstSerial + 2)

    /// Is notified of each registration that is added or removed; usually `nil`.
    private(set) var hook: (any ObserverListHook)?

    let nextList = Atomic<UInt>(0)

    /// Creates a list that the record retains.
    package init(
        record: ObservationRecord, property: UInt = 0, isAtomic: Bool = false, events: Any.Type, keyPath: AnyKeyPath? = nil
    ) {
        recordReference = Unretained(record)
        keepsRecord = false
        self.isAtomic = isAtomic
        self.property = property
        self.events = ObjectIdentifier(events)
        record.countList()
        if let keyPath { spelling.store(keyPath) }
    }

    /// Creates a list that the caller keeps, instead of the object's record of observations.
    ///
    /// The record cannot find the list. So when the observed object is deallocated, the caller must end the list's registrations.
    package init(keeping record: ObservationRecord, events: ObjectIdentifier, hook: any ObserverListHook) {
        recordReference = Unretained(record)
        unsafe recordReference.retain()
        keepsRecord = true
        isAtomic = false
        property = 0
        self.events = events
        self.hook = hook
    }

    convenience init(
        record: ObservationRecord, property: UInt = 0, events: Any.Type, keyPath: AnyKeyPath? = nil,
        hook: (Unretained<ObserverList>) -> any ObserverListHook
    ) {
        self.init(record: record, property: property, events: events, keyPath: keyPath)
        self.hook = hook(Unretained(self))
    }

    deinit {
        if keepsRecord { unsafe recordReference.release() }
    }

    /// The object that registrations retain to keep this list alive: the list itself, or the record that owns the list.
    var keeper: Unretained<AnyObject> { keepsRecord ? Unretained(self) : recordReference.erased }

    var record: ObservationRecord { withRecord { $0 } }

    var recordWord: UInt { recordReference.word }

    @inline(__always)
    func withRecord<Result>(_ body: (ObservationRecord) -> Result) -> Result {
        // SAFETY: if `keepsRecord` is `true`, this list retains the record. Otherwise, the record owns this list, and whoever uses this
        // list retains the record.
        unsafe recordReference.with(body)
    }

    @usableFromInline
    var wantsPriorCalls: Bool { priorCalls.load(ordering: .relaxed) > 0 }

    @usableFromInline
    var wantsOldValues: Bool { oldValues.load(ordering: .relaxed) > 0 }

    var wantsWholeValues: Bool { wholeValues.load(ordering: .relaxed) > 0 }

    var hasDependents: Bool { dependentCount > 0 }

    private var dependentCount: Int32 { dependents.load(ordering: .relaxed) }

    // MARK: The numbers of changes

    /// The serial number of the last change; a value that is read later includes that change.
    @usableFromInline
    package var lastChange: UInt64 { changes.load(ordering: .acquiring) }

    /// Assigns the next serial number to a change that has just been made, and returns it.
    package func numberChange() -> UInt64 { changes.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue }

    /// Gives a change its serial number, faster than `numberChange()`.
    ///
    /// Only one thread at a time may call this function.
    func numberChangeOfOneThread() -> UInt64 {
        let number = changes.load(ordering: .relaxed) &+ 1
        changes.store(number, ordering: .releasing)
        return number
    }

    // MARK: Key paths

    /// Stops the program if an observer expects events of another type than this list delivers.
    ///
    /// Does nothing if the list is for `\.self`: the value is the object, which observers may expect as an instance of any of its classes.
    @usableFromInline
    @inline(never)
    func accept(_ type: Any.Type) {
        if type is AnyClass, withRecord({ $0.entireListReference }) == Unretained(self) { return }
        preconditionFailure("Internal error of SafeKVO: an observer of `\(type)` would get events of another type. Please report it.")
    }

    var hasSpelling: Bool { spelling.reference != nil }

    /// The key path of the observed property, in the spelling that was used first; `nil` if it is not known yet.
    @usableFromInline
    var keyPath: AnyKeyPath? { spelling.object }

    // MARK: Adding and removing infos

    /// Adds a registration at the end, or in the place of `replaced`.
    ///
    /// Returns `false` if the observation has ended or the object is being deallocated. Otherwise the caller must call `didLink(_:)` later.
    func link(_ info: ObservationInfo, inPlaceOf replaced: ObservationInfo? = nil) -> Bool {
        withRecord { record in
            record.lock.withLock {
                if record.isDead || info.isOver { return false }
                if info.isLinked { return true }
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
    }

    /// Notifies the hook that a registration was added to this list.
    ///
    /// The caller must hold no lock.
    func didLink(_ info: ObservationInfo) {
        hook?.didLink(info, to: self)
    }

    func didUnlink(_ info: ObservationInfo) {
        hook?.didUnlink(info, from: self)
    }

    /// The key's name in diagnostics, or `nil` to use the key path.
    var title: String? { hook?.listName }

    func unlink(_ info: ObservationInfo) {
        let reclaimed: Reclaimed? = withRecord { record in
            record.lock.withLock {
                guard info.isLinked else { return nil }
                count(info.flags, by: -1)
                if info.isDependency { dependents.wrappingSubtract(1, ordering: .relaxed) }
                record.noteUnlinking(info)
                return record.retireLocked(chain.remove(info))
            }
        }
        if reclaimed != nil { didUnlink(info) }
    }

    /// `change` is 1 to add an observer's options to the counts of this list, or -1 to subtract them.
    package func count(_ flags: InfoFlags, by change: Int32, isOfDependent: Bool = false) {
        if flags.contains(.priorCall) {
            priorCalls.wrappingAdd(Int64(change) * (isOfDependent ? Self.ofDependents : 1), ordering: .relaxed)
        }
        if flags.wantsOldValue { oldValues.wrappingAdd(change, ordering: .relaxed) }
        if flags.contains(.wholeValue) { wholeValues.wrappingAdd(change, ordering: .relaxed) }
    }
}
