internal import CSafeKVO
internal import Synchronization

/// The observers of one key of one subject.
///
/// Lists hang in the subject's record, are made when a key is first observed and stay as long as the record, so that finding one needs
/// no lock. A source with keys that come and go without end keeps its lists itself, as long as they are in use.
@usableFromInline
package class ObserverList: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `chain` belongs to the record's lock and to its pins, `hook` is written before the list is
    // published, the counts are atomic.

    /// Keeps the list alive, unless it is the other way round.
    private let recordReference: Unretained<ObservationRecord>
    /// The stored property that this is the list of: the offset of its storage in the object.
    ///
    /// Zero if the list is for something else.
    final let property: UInt
    /// The type of what is delivered: of the values of a key, of the events of a source.
    @usableFromInline final let events: ObjectIdentifier
    /// The key path by which the list was first asked for.
    private let spelling = Atomic<UInt>(0)
    /// Other key paths that lead here: `\Sub.x` for `\Base.x`.
    private let otherSpellings = Atomic<UInt>(0)

    /// How many lists the record has had before.
    final let number: UInt32
    /// Whether the list retains its record, and infos retain the list.
    private let keepsRecord: Bool

    /// The infos; see ``LinkedChain`` for who may touch them.
    final let chain = ObserverChain()
    /// How many want a call before the change: infos, and in the upper half tracked paths whose observers want one or an old value.
    private let priorCalls = Atomic<Int64>(0)
    private static let ofDependents: Int64 = 1 << 32
    /// How many want old values.
    private let oldValues = Atomic<Int32>(0)
    /// How many want whole values.
    private let wholeValues = Atomic<Int32>(0)

    /// The number of the last change that observers were told of, or are being told of.
    private let changes = Atomic<UInt64>(1)

    /// How many infos follow the list for the sake of a tracked path.
    private let dependents = Atomic<Int32>(0)

    /// The reasons why an assignment may not be announced as usual, as bits.
    private let interventions = Atomic<UInt>(0)
    private static let byHandOnly: UInt = 1
    private static let readsGetter: UInt = 1 << 1
    private static let isUnexamined: UInt = 1 << 2
    private static let isOverridden: UInt = 1 << 3
    private static let isOfOverride: UInt = 1 << 4
    private static let isOfAllAnnouncements: UInt = 1 << 5
    private static let dependsOnOthers: UInt = 1 << 6

    /// Whether the property is open for change in place right now: whoever reads it then traps.
    final let isOpen = Atomic<Bool>(false)

    /// Who wants to know when infos come and go.
    package final var hook: (any ObserverListHook)? { ownHook }
    private final var ownHook: (any ObserverListHook)?

    /// The next list of the record, which writes it once.
    final let nextList = Atomic<UInt>(0)

    /// Makes a list that its record keeps.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - property: Which stored property of the subject it is the list of, if it is one.
    ///   - isInherited: `true` if another class than the subject's declares the property, so that the subject's class may override it.
    ///   - events: The type of what is delivered.
    ///   - keyPath: The key path by which the list is asked for.
    init(record: ObservationRecord, property: UInt = 0, isInherited: Bool = false, events: Any.Type, keyPath: AnyKeyPath? = nil) {
        recordReference = Unretained(record)
        keepsRecord = false
        self.property = property
        self.events = ObjectIdentifier(events)
        if isInherited { interventions.store(Self.readsGetter | Self.isUnexamined, ordering: .relaxed) }
        number = record.countList()
        if let keyPath { addSpelling(keyPath) }
    }

    /// Makes a list of those who want to hear of whatever the subject announces by hand.
    init(announcementsOf record: ObservationRecord) {
        recordReference = Unretained(record)
        keepsRecord = false
        property = 0
        events = ObjectIdentifier(Void.self)
        number = record.countList()
        interventions.store(Self.isOfAllAnnouncements, ordering: .relaxed)
    }

    /// Makes a list that its maker and its infos keep; its maker ends them when the subject dies: ``ObservationRecord/subjectDidDie(lists:)``.
    init(keeping record: ObservationRecord, events: ObjectIdentifier) {
        recordReference = Unretained(record)
        unsafe recordReference.retain()
        keepsRecord = true
        property = 0
        self.events = events
        number = 0
    }

    /// Makes such a list with a hook.
    package convenience init(keeping record: ObservationRecord, events: Any.Type, hook: any ObserverListHook) {
        self.init(keeping: record, events: ObjectIdentifier(events))
        ownHook = hook
    }

    /// Makes a list with a hook that knows it.
    convenience init(
        record: ObservationRecord, events: Any.Type, keyPath: AnyKeyPath? = nil, hook: (Unretained<ObserverList>) -> any ObserverListHook
    ) {
        self.init(record: record, events: events, keyPath: keyPath)
        ownHook = hook(Unretained(self))
    }

    deinit {
        // SAFETY: the list owns a reference to each spelling.
        unsafe Unretained<AnyKeyPath>(word: spelling.load(ordering: .relaxed))?.release()
        var other = Unretained<KeyPathSpelling>(word: otherSpellings.load(ordering: .relaxed))
        while let spelling = other {
            other = unsafe spelling.with { $0.next }
            unsafe spelling.release()
        }
        if keepsRecord { unsafe recordReference.release() }
    }

    /// What an info retains to keep the list: the record, or the list itself.
    final var keeper: Unretained<AnyObject> {
        unsafe keepsRecord ? Unretained(self) : recordReference.with { Unretained($0) }
    }

    /// The record that the list hangs in.
    final var record: ObservationRecord { unsafe recordReference.object }

    /// What identifies the record, and with it the subject.
    final var recordWord: UInt { recordReference.word }

    /// Uses the record without taking a reference.
    @inline(__always)
    final func withRecord<Result>(_ body: (ObservationRecord) -> Result) -> Result { unsafe recordReference.with(body) }

    /// Whether anybody wants a call before the change.
    @usableFromInline
    final var wantsPriorCalls: Bool { priorCalls.load(ordering: .relaxed) > 0 }

    /// `true` if somebody is called before the change, besides one tracked path at most.
    final var callsOthersBefore: Bool {
        let calls = priorCalls.load(ordering: .relaxed)
        return calls >= 2 * Self.ofDependents || calls % Self.ofDependents > 0
    }

    /// Whether anybody wants old values.
    @usableFromInline
    final var wantsOldValues: Bool { oldValues.load(ordering: .relaxed) > 0 }

    /// Whether anybody wants whole values.
    final var wantsWholeValues: Bool { wholeValues.load(ordering: .relaxed) > 0 }

    /// Whether a tracked path depends on this.
    final var hasDependents: Bool { dependents.load(ordering: .relaxed) > 0 }

    // MARK: The numbers of changes

    /// The number of the last change.
    ///
    /// A value that is read afterwards is at least as new.
    @usableFromInline
    final var lastChange: UInt64 { changes.load(ordering: .acquiring) }

    /// Numbers a change that was made just now.
    package final func numberChange() -> UInt64 { changes.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue }

    /// The number of a change that is delivered after a newer one was made: that of no change.
    ///
    /// The newer one is delivered too, by whoever made it.
    static let numberOfOvertaken: UInt64 = 1

    /// Numbers a change of a property that no two threads may change at once.
    final func numberChangeOfOneThread() -> UInt64 {
        let number = changes.load(ordering: .relaxed) &+ 1
        changes.store(number, ordering: .releasing)
        return number
    }

    // MARK: Announcements by hand

    /// Says, before the list is published, that assignments announce nothing.
    final func announceByHandOnly() {
        interventions.bitwiseOr(Self.byHandOnly, ordering: .relaxed)
    }

    /// A Boolean value that indicates whether an assignment must ask how it is announced.
    ///
    /// Two relaxed loads.
    @inline(__always)
    final var hasInterventions: Bool { interventions.load(ordering: .relaxed) != 0 || withRecord { $0.hasAnnouncements } }

    /// `true` if a manual notification that concerns this list is under way on this thread.
    ///
    /// The end of that notification notifies the observers. What happens until then is part of it.
    final var isChangingHere: Bool { withRecord { $0.hasAnnouncements && $0.isChangingHere(self) } }

    /// Ends the program unless observers that expect events of another type can be called with those of this list.
    ///
    /// The value of `\.self` is the subject, whatever class of it a key path names.
    @usableFromInline
    @inline(never)
    final func accept(_ type: Any.Type) {
        if type is AnyClass, keyPath?.isEntireObject ?? false { return }
        preconditionFailure("Internal error of SafeKVO: an observer of `\(type)` would get events of another type. Please report it.")
    }

    // MARK: Overridden properties

    /// Notes, before anybody observes, that another class than the subject's declares the property.
    final func noteInheritance() { interventions.bitwiseOr(Self.readsGetter | Self.isUnexamined, ordering: .relaxed) }

    /// `true` if observers are handed what the property's getter returns, which may be another class's override.
    @usableFromInline
    final var readsThroughGetter: Bool { interventions.load(ordering: .relaxed) & Self.readsGetter != 0 }

    /// Notes that the getter of the subject's class returns the stored value and reads nothing else.
    final func noteGetterReadsStorage() { interventions.bitwiseAnd(~Self.isUnexamined, ordering: .relaxed) }

    /// Notes that the subject's class overrides the property: its key path then leads to a computed value, which depends on this one.
    final func noteOverride() { interventions.bitwiseOr(Self.isOverridden, ordering: .relaxed) }

    /// Notes that this is the list of the computed value that overrides a property: it is reached by whatever class the property is.
    final func noteOverriding() {
        interventions.bitwiseOr(Self.isOfOverride, ordering: .relaxed)
        withRecord { $0.hasOverridingLists.store(true, ordering: .releasing) }
    }

    /// `true` for such a list.
    final var isOverriding: Bool { interventions.load(ordering: .relaxed) & Self.isOfOverride != 0 }

    /// `true` if those who hang here want to hear of whatever the subject announces by hand.
    final var isOfAnnouncements: Bool { interventions.load(ordering: .relaxed) & Self.isOfAllAnnouncements != 0 }

    /// `true` if the list is that of an inherited property with this key path, and nobody has observed it by that key path yet.
    final func isUnexamined(_ keyPath: AnyKeyPath) -> Bool {
        interventions.load(ordering: .relaxed) & (Self.isUnexamined | Self.isOverridden) == Self.isUnexamined && hasSpelling(keyPath)
    }

    /// `true` if a key path of the property does not lead here, or if that is not known yet.
    private var isHidden: Bool {
        interventions.load(ordering: .relaxed) & (Self.isUnexamined | Self.isOverridden | Self.dependsOnOthers) != 0
    }

    /// Notes, before anybody observes, that the class declares what the property depends on: its key path then leads to a path that follows that.
    final func noteDependencies() { interventions.bitwiseOr(Self.dependsOnOthers, ordering: .relaxed) }

    /// `true` if the class declares what the property depends on.
    final var isDependent: Bool { interventions.load(ordering: .relaxed) & Self.dependsOnOthers != 0 }

    /// Whether assignments announce nothing.
    final var isAnnouncedByHandOnly: Bool { interventions.load(ordering: .relaxed) & Self.byHandOnly != 0 }

    // MARK: Key paths

    /// Whether the list was first asked for by this very key path object.
    ///
    /// Quick, and true for nearly every repeated registration.
    final func isFirstSpelled(_ keyPath: AnyKeyPath) -> Bool {
        spelling.load(ordering: .acquiring) == Unretained(keyPath).word && !isHidden
    }

    /// Whether a key path equal to this one leads here; of a property, by whatever class it is reached.
    // The reasons that hide the property are noted before the key path is added.
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

    /// Whether an announcement of a key path by hand concerns the list, whatever class either begins with.
    final func isAnnounced(by keyPath: AnyKeyPath) -> Bool {
        // Of an overridden property the computed value is announced.
        if interventions.load(ordering: .relaxed) & Self.isOverridden != 0 { return false }
        if hasSpelling(keyPath) { return true }
        return unsafe Unretained<AnyKeyPath>(word: spelling.load(ordering: .acquiring))?.with { $0.isSpelling(of: keyPath) } ?? false
    }

    private func matches(_ known: AnyKeyPath, _ given: AnyKeyPath) -> Bool {
        if known == given { return true }
        // A property and the object as a whole are the same whatever class they are reached by. Everything else is what it was written as.
        let isProperty = property != 0 || isOverriding
        return isProperty ? known.isSpelling(of: given) : known.isEntireObject && given.isEntireObject
    }

    /// Remembers that a key path leads here.
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

    /// Whether it is known by which key path the list is asked for.
    final var hasSpelling: Bool { spelling.load(ordering: .acquiring) != 0 }

    /// The key path by which the list was first asked for.
    final var keyPath: AnyKeyPath? { unsafe Unretained<AnyKeyPath>(word: spelling.load(ordering: .acquiring))?.object }

    // MARK: Coming and going

    /// Hangs an info in, behind all others or in the place of one that it replaces.
    ///
    /// If it is hanging, the hook must be told: `didLink(_:)`.
    ///
    /// - Parameters:
    ///   - info: The info.
    ///   - replaced: The one behind which it goes.
    /// - Returns: false if the info was removed meanwhile, or the subject has died.
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

    /// Called when an info has been hung in, once nothing else remains to be done for it.
    ///
    /// As for ``ObserverListHook``: under no lock, so that of two threads the later may call first.
    func didLink(_ info: ObservationInfo) {
        hook?.didLink(info, to: self)
    }

    /// Called when an info has been taken out.
    func didUnlink(_ info: ObservationInfo) {
        hook?.didUnlink(info, from: self)
    }

    /// What the list is the list of, for people, if that is neither a property nor a key path.
    var title: String? { hook?.listName ?? (isOfAnnouncements ? "announcements" : nil) }

    /// Takes an info out, if it is in.
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

    /// Counts what is asked for, in or out.
    ///
    /// - Parameters:
    ///   - flags: What is asked for.
    ///   - change: 1 or -1.
    ///   - isOfDependent: Whether a tracked path asks for it.
    final func count(_ flags: InfoFlags, by change: Int32, isOfDependent: Bool = false) {
        if flags.contains(.priorCall) {
            priorCalls.wrappingAdd(Int64(change) * (isOfDependent ? Self.ofDependents : 1), ordering: .relaxed)
        }
        if flags.wantsOldValue { oldValues.wrappingAdd(change, ordering: .relaxed) }
        if flags.contains(.wholeValue) { wholeValues.wrappingAdd(change, ordering: .relaxed) }
    }
}
