internal import CSafeKVO
internal import Synchronization

/// The observers of one key of one observed object, as a list of infos; an *info* is one registration.
///
/// The record of the object keeps its lists. A list is made when its key is first observed, and stays as long as the record. So a search
/// for a list needs no lock. A source whose keys come and go keeps its lists itself, and only as long as they are in use.
@usableFromInline
package class ObserverList: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) The record's lock and its pins guard `chain`. `hook` is written before the list is published. The
    // counts and the key paths are atomic. Everything else is constant.

    /// The record of the observed object; it keeps the list alive, unless `keepsRecord` is `true`.
    private let recordReference: Unretained<ObservationRecord>
    /// The offset of the stored property in the object; zero if the list does not belong to a stored property.
    final let property: UInt
    /// The type of the values of the key, or of the events of the source.
    @usableFromInline final let events: ObjectIdentifier
    /// The address of the key path by which the list was first requested.
    private let spelling = Atomic<UInt>(0)
    /// The first of a linked list of aliases: equivalent key paths that begin with another class, such as `\Sub.x` for `\Base.x`.
    private let otherSpellings = Atomic<UInt>(0)

    /// The number of lists that the record had before this one.
    final let number: UInt32
    /// `true` if the list retains its record and infos retain the list, instead of the reverse.
    private let keepsRecord: Bool

    /// The infos in order of registration; deliveries read the chain while they pin the record, and other code holds the record's lock.
    final let chain = ObserverChain()
    /// The number of infos that need a call before the change.
    ///
    /// The upper half counts tracked key paths instead: those whose observers need a call before the change, or an old value.
    private let priorCalls = Atomic<Int64>(0)
    private static let ofDependents: Int64 = 1 << 32
    /// The number of observers that need old values, including tracked key paths that depend on this key.
    private let oldValues = Atomic<Int32>(0)
    /// The number of observers that need whole values, even when only some elements of a collection change.
    private let wholeValues = Atomic<Int32>(0)

    /// The number of the last change of the key.
    private let changes = Atomic<UInt64>(1)

    /// The number of tracked key paths that depend on this key: computed or nested key paths whose dependencies the library follows.
    private let dependents = Atomic<Int32>(0)

    /// One bit for each reason why an assignment may need more than the usual notification, or none.
    private let interventions = Atomic<UInt>(0)
    private static let byHandOnly: UInt = 1
    private static let readsGetter: UInt = 1 << 1
    private static let isUnexamined: UInt = 1 << 2
    private static let isOverridden: UInt = 1 << 3
    private static let isOfOverride: UInt = 1 << 4
    private static let isOfAllAnnouncements: UInt = 1 << 5
    private static let dependsOnOthers: UInt = 1 << 6

    /// `true` while the property is being mutated in place; a read of the property traps during that time.
    final let isOpen = Atomic<Bool>(false)

    /// The object that is notified when infos are added to this list or removed from it.
    package final var hook: (any ObserverListHook)? { ownHook }
    private final var ownHook: (any ObserverListHook)?

    /// The next list of the same record; zero until that list is added.
    final let nextList = Atomic<UInt>(0)

    /// Creates a list that its record keeps.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - property: The offset of the stored property in the object; zero for any other key.
    ///   - isInherited: `true` if a superclass of the object's class declares the property, so that the object's class may override it.
    ///   - events: The type of the values or events.
    ///   - keyPath: The key path by which the list is requested.
    init(record: ObservationRecord, property: UInt = 0, isInherited: Bool = false, events: Any.Type, keyPath: AnyKeyPath? = nil) {
        recordReference = Unretained(record)
        keepsRecord = false
        self.property = property
        self.events = ObjectIdentifier(events)
        if isInherited { interventions.store(Self.readsGetter | Self.isUnexamined, ordering: .relaxed) }
        number = record.countList()
        if let keyPath { addSpelling(keyPath) }
    }

    /// Creates a list of observers that follow every manual notification of the object.
    init(announcementsOf record: ObservationRecord) {
        recordReference = Unretained(record)
        keepsRecord = false
        property = 0
        events = ObjectIdentifier(Void.self)
        number = record.countList()
        interventions.store(Self.isOfAllAnnouncements, ordering: .relaxed)
    }

    /// Creates a list that its maker and its infos keep.
    ///
    /// The maker must end the infos when the observed object is deallocated.
    init(keeping record: ObservationRecord, events: ObjectIdentifier) {
        recordReference = Unretained(record)
        unsafe recordReference.retain()
        keepsRecord = true
        property = 0
        self.events = events
        number = 0
    }

    /// Creates a list that its maker and its infos keep, with a hook.
    package convenience init(keeping record: ObservationRecord, events: Any.Type, hook: any ObserverListHook) {
        self.init(keeping: record, events: ObjectIdentifier(events))
        ownHook = hook
    }

    /// Creates a list that its record keeps, with a hook that refers to the list.
    convenience init(
        record: ObservationRecord, events: Any.Type, keyPath: AnyKeyPath? = nil, hook: (Unretained<ObserverList>) -> any ObserverListHook
    ) {
        self.init(record: record, events: events, keyPath: keyPath)
        ownHook = hook(Unretained(self))
    }

    deinit {
        // SAFETY: The list owns a reference to its key path and to each alias.
        unsafe Unretained<AnyKeyPath>(word: spelling.load(ordering: .relaxed))?.release()
        var other = Unretained<KeyPathSpelling>(word: otherSpellings.load(ordering: .relaxed))
        while let spelling = other {
            other = unsafe spelling.with { $0.next }
            unsafe spelling.release()
        }
        if keepsRecord { unsafe recordReference.release() }
    }

    /// The object that infos retain to keep this list alive: the record, or the list itself.
    final var keeper: Unretained<AnyObject> {
        unsafe keepsRecord ? Unretained(self) : recordReference.with { Unretained($0) }
    }

    /// The record that this list belongs to.
    final var record: ObservationRecord { unsafe recordReference.object }

    /// The address of the record, which identifies the record and its observed object.
    final var recordWord: UInt { recordReference.word }

    /// Calls a closure with the record, without retaining the record.
    @inline(__always)
    final func withRecord<Result>(_ body: (ObservationRecord) -> Result) -> Result { unsafe recordReference.with(body) }

    /// `true` if an observer needs a call before the change.
    @usableFromInline
    final var wantsPriorCalls: Bool { priorCalls.load(ordering: .relaxed) > 0 }

    /// `true` if any observer is called before the change, apart from a single tracked key path that depends on this key.
    final var callsOthersBefore: Bool {
        let calls = priorCalls.load(ordering: .relaxed)
        return calls >= 2 * Self.ofDependents || calls % Self.ofDependents > 0
    }

    /// `true` if an observer needs old values.
    @usableFromInline
    final var wantsOldValues: Bool { oldValues.load(ordering: .relaxed) > 0 }

    /// `true` if an observer needs whole values, even when only some elements of a collection change.
    final var wantsWholeValues: Bool { wholeValues.load(ordering: .relaxed) > 0 }

    /// `true` if a tracked key path depends on this key: a computed or nested key path whose dependencies the library follows.
    final var hasDependents: Bool { dependents.load(ordering: .relaxed) > 0 }

    // MARK: The numbers of changes

    /// The number of the last change; a value that is read after this number is at least as new as that change.
    @usableFromInline
    final var lastChange: UInt64 { changes.load(ordering: .acquiring) }

    /// Returns a new number for a change that has just been made.
    package final func numberChange() -> UInt64 { changes.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue }

    /// The number for a change that is delivered after a newer one; the thread that made the newer change delivers that change.
    static let numberOfOvertaken: UInt64 = 1

    /// Returns a new number for a change of a property that no two threads may change at the same time.
    final func numberChangeOfOneThread() -> UInt64 {
        let number = changes.load(ordering: .relaxed) &+ 1
        changes.store(number, ordering: .releasing)
        return number
    }

    // MARK: Manual notifications

    /// Notes, before the list is published, that an assignment notifies nobody, because the program notifies manually.
    final func announceByHandOnly() {
        interventions.bitwiseOr(Self.byHandOnly, ordering: .relaxed)
    }

    /// `true` if an assignment must check how it notifies the observers.
    ///
    /// The check is two relaxed loads.
    @inline(__always)
    final var hasInterventions: Bool { interventions.load(ordering: .relaxed) != 0 || withRecord { $0.hasAnnouncements } }

    /// `true` if a manual notification that concerns this list is in progress on this thread.
    ///
    /// The end of that notification notifies the observers of everything that changed until then.
    final var isChangingHere: Bool { withRecord { $0.hasAnnouncements && $0.isChangingHere(self) } }

    /// Traps unless observers that were registered for events of this type can receive the events of this list.
    ///
    /// A list of `\.self` accepts any class, because its value is the observed object itself.
    @usableFromInline
    @inline(never)
    final func accept(_ type: Any.Type) {
        if type is AnyClass, keyPath?.isEntireObject ?? false { return }
        preconditionFailure("Internal error of SafeKVO: an observer of `\(type)` would get events of another type. Please report it.")
    }

    // MARK: Overridden properties

    /// Notes, before anybody observes the property, that a superclass of the object's class declares it.
    final func noteInheritance() { interventions.bitwiseOr(Self.readsGetter | Self.isUnexamined, ordering: .relaxed) }

    /// `true` if observers receive what the property's getter returns, because the object's class may override the getter.
    @usableFromInline
    final var readsThroughGetter: Bool { interventions.load(ordering: .relaxed) & Self.readsGetter != 0 }

    /// Notes that the getter of the object's class returns the stored value and reads nothing else.
    final func noteGetterReadsStorage() { interventions.bitwiseAnd(~Self.isUnexamined, ordering: .relaxed) }

    /// Notes that the object's class overrides the property: its key path then leads to a computed value that depends on this property.
    final func noteOverride() { interventions.bitwiseOr(Self.isOverridden, ordering: .relaxed) }

    /// Notes that this list belongs to the computed value that overrides a property; aliases of the key path then lead to this list, too.
    final func noteOverriding() {
        interventions.bitwiseOr(Self.isOfOverride, ordering: .relaxed)
        withRecord { $0.hasOverridingLists.store(true, ordering: .releasing) }
    }

    /// `true` if this list belongs to a computed value that overrides a property.
    final var isOverriding: Bool { interventions.load(ordering: .relaxed) & Self.isOfOverride != 0 }

    /// `true` if the observers in this list follow every manual notification of the object.
    final var isOfAnnouncements: Bool { interventions.load(ordering: .relaxed) & Self.isOfAllAnnouncements != 0 }

    /// Returns `true` if this is the list of an inherited property with this key path, and no observation has examined its getter yet.
    final func isUnexamined(_ keyPath: AnyKeyPath) -> Bool {
        interventions.load(ordering: .relaxed) & (Self.isUnexamined | Self.isOverridden) == Self.isUnexamined && hasSpelling(keyPath)
    }

    /// `true` if a key path of this property leads to another list, or if that is not known yet.
    private var isHidden: Bool {
        interventions.load(ordering: .relaxed) & (Self.isUnexamined | Self.isOverridden | Self.dependsOnOthers) != 0
    }

    /// Notes, before anybody observes the property, that the class declares other key paths on which it depends.
    final func noteDependencies() { interventions.bitwiseOr(Self.dependsOnOthers, ordering: .relaxed) }

    /// `true` if the class declares other key paths on which the property depends.
    final var isDependent: Bool { interventions.load(ordering: .relaxed) & Self.dependsOnOthers != 0 }

    /// `true` if an assignment notifies nobody, because the program notifies manually.
    final var isAnnouncedByHandOnly: Bool { interventions.load(ordering: .relaxed) & Self.byHandOnly != 0 }

    // MARK: Key paths

    /// Returns `true` if this very key path object was the first by which the list was requested.
    ///
    /// The check is quick, and succeeds for nearly every repeated registration.
    final func isFirstSpelled(_ keyPath: AnyKeyPath) -> Bool {
        spelling.load(ordering: .acquiring) == Unretained(keyPath).word && !isHidden
    }

    /// Returns `true` if an equal key path leads to this list; for a property, also if an alias does.
    // No lock is needed, because the reasons that hide the property are noted before the key path is added.
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

    /// Returns `true` if a manual notification of this key path, or of an alias of it, concerns this list.
    final func isAnnounced(by keyPath: AnyKeyPath) -> Bool {
        // For an overridden property, the list of the computed value is notified instead.
        if interventions.load(ordering: .relaxed) & Self.isOverridden != 0 { return false }
        if hasSpelling(keyPath) { return true }
        return unsafe Unretained<AnyKeyPath>(word: spelling.load(ordering: .acquiring))?.with { $0.isSpelling(of: keyPath) } ?? false
    }

    private func matches(_ known: AnyKeyPath, _ given: AnyKeyPath) -> Bool {
        if known == given { return true }
        // A property, or `\.self`, is the same key whatever class the key path begins with. Any other key path must be equal.
        let isProperty = property != 0 || isOverriding
        return isProperty ? known.isSpelling(of: given) : known.isEntireObject && given.isEntireObject
    }

    /// Remembers that a key path leads to this list.
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

    /// `true` if the list knows a key path that leads to it.
    final var hasSpelling: Bool { spelling.load(ordering: .acquiring) != 0 }

    /// The key path by which the list was first requested.
    final var keyPath: AnyKeyPath? { unsafe Unretained<AnyKeyPath>(word: spelling.load(ordering: .acquiring))?.object }

    // MARK: Adding and removing infos

    /// Adds an info at the end, or in the place of one that it replaces.
    ///
    /// If the result is `true`, the caller must call `didLink(_:)` later.
    ///
    /// - Parameters:
    ///   - info: The info.
    ///   - replaced: The info whose place in the order it takes.
    /// - Returns: `false` if the info has been removed meanwhile, or the observed object has been deallocated.
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

    /// Notifies the hook of the list that an info has been added, after its registration is complete.
    ///
    /// No lock is held. Two threads may make these calls in either order.
    func didLink(_ info: ObservationInfo) {
        hook?.didLink(info, to: self)
    }

    /// Notifies the hook of the list that an info has been removed.
    func didUnlink(_ info: ObservationInfo) {
        hook?.didUnlink(info, from: self)
    }

    /// A name of the observed key for diagnostics, if it is neither a property nor a key path.
    var title: String? { hook?.listName ?? (isOfAnnouncements ? "announcements" : nil) }

    /// Removes an info, if it is in the list.
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

    /// Adds the needs of an observer to the counts, or subtracts them.
    ///
    /// - Parameters:
    ///   - flags: The needs.
    ///   - change: 1 or -1.
    ///   - isOfDependent: `true` if the needs are those of a tracked key path that depends on this key.
    final func count(_ flags: InfoFlags, by change: Int32, isOfDependent: Bool = false) {
        if flags.contains(.priorCall) {
            priorCalls.wrappingAdd(Int64(change) * (isOfDependent ? Self.ofDependents : 1), ordering: .relaxed)
        }
        if flags.wantsOldValue { oldValues.wrappingAdd(change, ordering: .relaxed) }
        if flags.contains(.wholeValue) { wholeValues.wrappingAdd(change, ordering: .relaxed) }
    }
}
