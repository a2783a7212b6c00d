internal import CSafeKVO
internal import Synchronization

/// The registrations of all observers of one key of one object.
///
/// The object's record of observations creates the list when the key is first observed, and never removes it. So a
/// search for a list needs no lock. An event source whose keys come and go keeps its lists itself while they are in use.
@usableFromInline
package class ObserverList: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) The record's lock guards changes of `chain`. Deliveries pin the record, which keeps removed
    // registrations in memory. `hook` is written before other threads can find the list. The counts and the key paths are atomic.
    // Everything else is constant.

    /// The record of all observations of the observed object.
    ///
    /// It retains this list, unless `keepsRecord` is `true`.
    private let recordReference: Unretained<ObservationRecord>
    /// The offset of the stored property in the object; zero if the key is not a stored property.
    final let property: UInt
    /// The type of the key's values, or of the source's events.
    @usableFromInline final let events: ObjectIdentifier
    /// The address of the key path object with which the list was first requested; zero if there is none.
    private let spelling = Atomic<UInt>(0)
    /// The first node in a linked list of equivalent key paths that begin with another class, such as `\Sub.x` for `\Base.x`.
    private let otherSpellings = Atomic<UInt>(0)

    final let number: UInt32
    /// `true` if the list retains its record, and the registrations retain the list; `false` if the record retains the list.
    private let keepsRecord: Bool

    /// The registrations in order; each change needs the record's lock.
    ///
    /// A reader needs no lock, but must pin the record, which keeps removed registrations in memory.
    final let chain = LinkedChain()
    /// The number of registrations (lower 32 bits) and dependent key paths (upper 32 bits) that need a call before the change.
    private let priorCalls = Atomic<Int64>(0)
    private static let ofDependents: Int64 = 1 << 32
    /// The number of registrations and dependent key paths that need the value before the change.
    private let oldValues = Atomic<Int32>(0)
    /// The number of registrations that need the whole collection, even if only some of its elements change.
    private let wholeValues = Atomic<Int32>(0)

    private let changes = Atomic<UInt64>(1)

    /// The number of dependent key paths: computed or nested key paths whose value depends on this key.
    private let dependents = Atomic<Int32>(0)

    /// Flags for the cases in which an assignment needs further checks before it notifies the observers.
    private let interventions = Atomic<UInt>(0)
    private static let byHandOnly: UInt = 1
    private static let readsGetter: UInt = 1 << 1
    private static let isUnexamined: UInt = 1 << 2
    private static let isOverridden: UInt = 1 << 3
    private static let isOfOverride: UInt = 1 << 4
    private static let isOfAllAnnouncements: UInt = 1 << 5
    private static let dependsOnOthers: UInt = 1 << 6

    /// `true` while code mutates the property in place, so that a read of the property would trap.
    final let isOpen = Atomic<Bool>(false)

    /// The object that is notified when registrations are added to this list or removed from it; usually `nil`.
    package final var hook: (any ObserverListHook)? { ownHook }
    private final var ownHook: (any ObserverListHook)?

    final let nextList = Atomic<UInt>(0)

    /// Creates a list that the record retains.
    ///
    /// - Parameters:
    ///   - property: The offset of the stored property in the object; zero for any other key.
    ///   - isInherited: `true` if a superclass of the object's class declares the property, so that the object's class may override it.
    ///   - keyPath: The key path with which the list is requested.
    init(record: ObservationRecord, property: UInt = 0, isInherited: Bool = false, events: Any.Type, keyPath: AnyKeyPath? = nil) {
        recordReference = Unretained(record)
        keepsRecord = false
        self.property = property
        self.events = ObjectIdentifier(events)
        if isInherited { interventions.store(Self.readsGetter | Self.isUnexamined, ordering: .relaxed) }
        number = record.countList()
        if let keyPath { addSpelling(keyPath) }
    }

    /// Creates a list of observers that are notified of every manual notification of the object.
    init(announcementsOf record: ObservationRecord) {
        recordReference = Unretained(record)
        keepsRecord = false
        property = 0
        events = ObjectIdentifier(Void.self)
        number = record.countList()
        interventions.store(Self.isOfAllAnnouncements, ordering: .relaxed)
    }

    /// Creates a list that retains the record.
    ///
    /// When the observed object is deallocated, the code that created the list must end its registrations.
    init(keeping record: ObservationRecord, events: ObjectIdentifier) {
        recordReference = Unretained(record)
        unsafe recordReference.retain()
        keepsRecord = true
        property = 0
        self.events = events
        number = 0
    }

    package convenience init(keeping record: ObservationRecord, events: Any.Type, hook: any ObserverListHook) {
        self.init(keeping: record, events: ObjectIdentifier(events))
        ownHook = hook
    }

    convenience init(
        record: ObservationRecord, events: Any.Type, keyPath: AnyKeyPath? = nil, hook: (Unretained<ObserverList>) -> any ObserverListHook
    ) {
        self.init(record: record, events: events, keyPath: keyPath)
        ownHook = hook(Unretained(self))
    }

    deinit {
        // SAFETY: The list owns a reference to each of its key paths.
        unsafe Unretained<AnyKeyPath>(word: spelling.load(ordering: .relaxed))?.release()
        var other = Unretained<KeyPathSpelling>(word: otherSpellings.load(ordering: .relaxed))
        while let spelling = other {
            other = unsafe spelling.with { $0.next }
            unsafe spelling.release()
        }
        if keepsRecord { unsafe recordReference.release() }
    }

    /// The object that registrations retain to keep this list alive: the record or the list itself.
    final var keeper: Unretained<AnyObject> {
        unsafe keepsRecord ? Unretained(self) : recordReference.with { Unretained($0) }
    }

    final var record: ObservationRecord { unsafe recordReference.object }

    final var recordWord: UInt { recordReference.word }

    @inline(__always)
    final func withRecord<Result>(_ body: (ObservationRecord) -> Result) -> Result { unsafe recordReference.with(body) }

    @usableFromInline
    final var wantsPriorCalls: Bool { priorCalls.load(ordering: .relaxed) > 0 }

    /// `true` if a handler may run before a change.
    ///
    /// If one computed or nested key path depends on the property, this key path alone does not make the result `true`.
    final var callsOthersBefore: Bool {
        let calls = priorCalls.load(ordering: .relaxed)
        return calls >= 2 * Self.ofDependents || calls % Self.ofDependents > 0
    }

    @usableFromInline
    final var wantsOldValues: Bool { oldValues.load(ordering: .relaxed) > 0 }

    final var wantsWholeValues: Bool { wholeValues.load(ordering: .relaxed) > 0 }

    final var hasDependents: Bool { dependents.load(ordering: .relaxed) > 0 }

    // MARK: The numbers of changes

    /// The serial number of the last change.
    ///
    /// If a value is read after this number, it includes that change, and may be newer.
    @usableFromInline
    final var lastChange: UInt64 { changes.load(ordering: .acquiring) }

    /// Assigns the next serial number to a change that has just been made, and returns it.
    package final func numberChange() -> UInt64 { changes.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue }

    /// The number of each change that a newer one overtook before its delivery began; smaller than all other numbers.
    static let numberOfOvertaken: UInt64 = 1

    /// Does the same as `numberChange()`, but faster, and only for one thread at a time.
    final func numberChangeOfOneThread() -> UInt64 {
        let number = changes.load(ordering: .relaxed) &+ 1
        changes.store(number, ordering: .releasing)
        return number
    }

    // MARK: Manual notifications

    /// Stops assignments from notifying observers, so that only manual notifications do.
    ///
    /// Must be called before the property is observed.
    final func announceByHandOnly() {
        interventions.bitwiseOr(Self.byHandOnly, ordering: .relaxed)
    }

    /// `true` if an assignment needs further checks to find out whether and how it notifies the observers.
    @inline(__always)
    final var hasInterventions: Bool { interventions.load(ordering: .relaxed) != 0 || withRecord { $0.hasAnnouncements } }

    /// `true` if this thread is inside a manual notification of this key.
    ///
    /// The end of that notification reports all changes made in between.
    final var isChangingHere: Bool { withRecord { $0.hasAnnouncements && $0.isChangingHere(self) } }

    /// Traps, because the list's events do not have the type that the observer expects.
    ///
    /// Only a list for `\.self` accepts any class, because its value is the observed object itself.
    @usableFromInline
    @inline(never)
    final func accept(_ type: Any.Type) {
        if type is AnyClass, keyPath?.isEntireObject ?? false { return }
        preconditionFailure("Internal error of SafeKVO: an observer of `\(type)` would get events of another type. Please report it.")
    }

    // MARK: Overridden properties

    /// Notes, before the property is observed, that it is inherited, so that the object's class may override it.
    final func noteInheritance() { interventions.bitwiseOr(Self.readsGetter | Self.isUnexamined, ordering: .relaxed) }

    /// `true` if observers receive the result of the property's getter, because the object's class may override the getter.
    @usableFromInline
    final var readsThroughGetter: Bool { interventions.load(ordering: .relaxed) & Self.readsGetter != 0 }

    /// Notes that the class does not override the property, because its getter has returned the stored value.
    final func noteGetterReadsStorage() { interventions.bitwiseAnd(~Self.isUnexamined, ordering: .relaxed) }

    /// Notes that the object's class overrides the property, so that the overriding property's list holds the observers.
    final func noteOverride() { interventions.bitwiseOr(Self.isOverridden, ordering: .relaxed) }

    /// Notes that this list belongs to a computed property that overrides a stored one.
    ///
    /// The list is then also found with an equivalent key path, such as `\Base.x` for `\Sub.x`.
    final func noteOverriding() {
        interventions.bitwiseOr(Self.isOfOverride, ordering: .relaxed)
        withRecord { $0.hasOverridingLists.store(true, ordering: .releasing) }
    }

    final var isOverriding: Bool { interventions.load(ordering: .relaxed) & Self.isOfOverride != 0 }

    final var isOfAnnouncements: Bool { interventions.load(ordering: .relaxed) & Self.isOfAllAnnouncements != 0 }

    /// Returns `true` if the key path names this list's inherited property, and it is not known yet whether the object's class overrides
    /// it.
    final func isUnexamined(_ keyPath: AnyKeyPath) -> Bool {
        interventions.load(ordering: .relaxed) & (Self.isUnexamined | Self.isOverridden) == Self.isUnexamined && hasSpelling(keyPath)
    }

    /// `true` if a search for a key path must skip this list, for example because the class may override the property.
    private var isHidden: Bool {
        interventions.load(ordering: .relaxed) & (Self.isUnexamined | Self.isOverridden | Self.dependsOnOthers) != 0
    }

    /// Notes, before the property is observed, that its class declares dependencies of the property.
    final func noteDependencies() { interventions.bitwiseOr(Self.dependsOnOthers, ordering: .relaxed) }

    final var isDependent: Bool { interventions.load(ordering: .relaxed) & Self.dependsOnOthers != 0 }

    final var isAnnouncedByHandOnly: Bool { interventions.load(ordering: .relaxed) & Self.byHandOnly != 0 }

    // MARK: Key paths

    /// Returns `true` if the list was first requested with this very key path object.
    ///
    /// Comparing the addresses is enough for nearly all repeated registrations.
    final func isFirstSpelled(_ keyPath: AnyKeyPath) -> Bool {
        spelling.load(ordering: .acquiring) == Unretained(keyPath).word && !isHidden
    }

    /// Returns `true` if this list has the observers of this key path, or of an equivalent one that begins with another class.
    ///
    /// No lock is needed: lists that must stay hidden are hidden before they get a key path.
    final func isSpelled(_ keyPath: AnyKeyPath) -> Bool { hasSpelling(keyPath) && !isHidden }

    private func hasSpelling(_ keyPath: AnyKeyPath) -> Bool {
        if unsafe Unretained<AnyKeyPath>(word: spelling.load(ordering: .acquiring))?.with({ matches($0, keyPath) }) ?? false { return true }
        var other = Unretained<KeyPathSpelling>(word: otherSpellings.load(ordering: .acquiring))
        while let spelling = other {
            if unsafe spelling.with({ matches($0.keyPath, keyPath) }) { return true }
            other = unsafe spelling.with { $0.next }
        }
        return false
    }

    /// Returns `true` if a manual notification of this key path must notify the observers in this list.
    final func isAnnounced(by keyPath: AnyKeyPath) -> Bool {
        // The list of the overriding property, which has the observers, is notified instead.
        if interventions.load(ordering: .relaxed) & Self.isOverridden != 0 { return false }
        if hasSpelling(keyPath) { return true }
        return unsafe Unretained<AnyKeyPath>(word: spelling.load(ordering: .acquiring))?.with { $0.isSpelling(of: keyPath) } ?? false
    }

    private func matches(_ known: AnyKeyPath, _ given: AnyKeyPath) -> Bool {
        if known == given { return true }
        // Key paths of a property, or of `\.self`, may begin with different classes. All others must be equal.
        let isProperty = property != 0 || isOverriding
        return isProperty ? known.isSpelling(of: given) : known.isEntireObject && given.isEntireObject
    }

    /// Stores a key path with which this list can be found.
    final func addSpelling(_ keyPath: AnyKeyPath) {
        let reference = Unretained(keyPath)
        unsafe reference.retain()
        if spelling.compareExchange(expected: 0, desired: reference.word, ordering: .acquiringAndReleasing).exchanged { return }
        unsafe reference.release()
        let other = KeyPathSpelling(keyPath)
        unsafe Unretained(other).retain()
        while true {
            let first = otherSpellings.load(ordering: .acquiring)
            other.next = Unretained(word: first)
            let (exchanged, _) = otherSpellings.compareExchange(
                expected: first, desired: Unretained(other).word, ordering: .acquiringAndReleasing)
            if exchanged { return }
        }
    }

    final var hasSpelling: Bool { spelling.load(ordering: .acquiring) != 0 }

    /// The key path with which the list was first requested, or `nil` if there is none.
    final var keyPath: AnyKeyPath? { unsafe Unretained<AnyKeyPath>(word: spelling.load(ordering: .acquiring))?.object }

    // MARK: Adding and removing infos

    /// Adds a registration at the end, or in the place of `replaced`.
    ///
    /// - Returns: `true` if the caller must call `didLink(_:)` later; `false` if the observation has ended or the object is being
    ///   deallocated.
    final func link(_ info: ObservationInfo, inPlaceOf replaced: ObservationInfo? = nil) -> Bool {
        withRecord { record in
            var isRenumberingDue = false
            let isLinked = record.lock.withLock {
                if record.isDead || info.isOver { return false }
                if info.isLinked { return true }
                isRenumberingDue = record.noteLinking(info)
                count(info.flags, by: 1)
                if info.isDependency { dependents.wrappingAdd(1, ordering: .relaxed) }
                if let replaced, replaced.isLinked {
                    info.order.store(replaced.order.load(ordering: .relaxed), ordering: .relaxed)
                    chain.insert(info, after: Unretained(replaced))
                } else {
                    chain.append(info)
                }
                return true
            }
            if isRenumberingDue { record.renumber() }
            return isLinked
        }
    }

    /// Notifies the list's hook that a registration was added.
    ///
    /// The caller must hold no lock. The calls of several threads may come in any order.
    func didLink(_ info: ObservationInfo) {
        hook?.didLink(info, to: self)
    }

    func didUnlink(_ info: ObservationInfo) {
        hook?.didUnlink(info, from: self)
    }

    /// A name of the key for diagnostics; `nil` if the key path names it.
    var title: String? { hook?.listName ?? (isOfAnnouncements ? "announcements" : nil) }

    final func unlink(_ info: ObservationInfo) {
        let reclaimed: Reclaimed? = withRecord { record in
            record.lock.withLock {
                guard info.isLinked else { return nil }
                count(info.flags, by: -1)
                if info.isDependency { dependents.wrappingSubtract(1, ordering: .relaxed) }
                record.noteUnlinking(info)
                return record.retire(chain.remove(info))
            }
        }
        guard let reclaimed else { return }
        reclaimed.release()
        didUnlink(info)
    }

    /// Adds an observer's options to the counts of this list if `change` is 1, or subtracts them if it is -1.
    ///
    /// `isOfDependent` is `true` if the observer is a key path that depends on this key.
    final func count(_ flags: InfoFlags, by change: Int32, isOfDependent: Bool = false) {
        if flags.contains(.priorCall) {
            priorCalls.wrappingAdd(Int64(change) * (isOfDependent ? Self.ofDependents : 1), ordering: .relaxed)
        }
        if flags.wantsOldValue { oldValues.wrappingAdd(change, ordering: .relaxed) }
        if flags.contains(.wholeValue) { wholeValues.wrappingAdd(change, ordering: .relaxed) }
    }
}
