internal import CSafeKVO
internal import Observation
internal import Synchronization

/// All that is known of who observes one subject.
///
/// The subject's registrar points at it from the first observation to the subject's death; infos keep it as long as they live.
@usableFromInline
package final class ObservationRecord: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `isDead`, `limbo`, `starts`, `mail`, `announcements` and all linking belong to `lock`, `subject` is written once, under
    // the lock and before `isWeaklyReferenced` lets others read it; the rest is atomic or constant.

    let lock = Lock()
    var isDead = false
    let pins = DeliveryPins()
    // SAFETY: (of the unchecked exclusivity) only touched under the lock, by functions that call nobody.
    @exclusivity(unchecked) private var limbo = Limbo()

    /// How many infos have ever been linked, wrapping around; see ``renumber()``.
    let serial = Atomic<UInt32>(0)
    /// How many linked infos do not keep the subject alive.
    ///
    /// Only then can a change come from a dying subject.
    private let unretained = Atomic<Int32>(0)
    /// The lists of properties, which every setter goes through, and those of all else, of which there may be many.
    let properties = ListChain()
    private let others = ListChain()
    /// `true` once one of the others is the list of a property that the subject's class overrides.
    let hasOverridingLists = Atomic<Bool>(false)
    /// Those of the others that a key path leads to.
    private let spelled = SpellingIndex()
    /// The lists of values that somebody looks at, because they do not announce their changes.
    let pulled = ListChain()
    /// How many lists have ever been made, whether they were hung in or not.
    private let lists = Atomic<UInt32>(0)

    /// How many want to know of every list that is made, because they observe the subject as a whole.
    private let entireObservers = Atomic<Int32>(0)

    /// The subject's address.
    ///
    /// Dereferenced only where something else keeps the subject alive.
    let subjectReference: Unretained<AnyObject>
    // SAFETY: (of the unchecked exclusivity) written once, under the lock, before `isWeaklyReferenced` says so; read only after that.
    @exclusivity(unchecked) private weak var subject: AnyObject?
    /// `true` once `subject` is written, which it stays for the life of the record.
    private let isWeaklyReferenced = Atomic<Bool>(false)

    /// The manual notifications that are under way, of all threads.
    var announcements: [OpenAnnouncement] = []
    /// The number of them, for a look without the lock.
    let announcementCount = Atomic<Int>(0)

    /// The infos whose initial call is running or not yet caught up with.
    var starts: [InfoStart] = []
    /// What threads have left to others that were calling the observer.
    var mail: [InfoStart] = []

    /// The subject's class, for diagnostics: readable when the subject is not.
    let subjectType: AnyClass

    /// Which object this is the record of.
    let subjectIdentity: ObjectIdentifier

    /// The registrar of Swift's Observation, of an object that is tracked by that.
    let swiftRegistrar = AtomicLazyReference<SwiftRegistrar>()

    /// Whether the subject stands for another object, which is the one that observers know.
    private let isStandIn: Bool

    /// Makes the record of a subject.
    ///
    /// - Parameters:
    ///   - subject: The subject, which keeps the record.
    ///   - object: What the subject stands for, if it is no more than that: then it is a ``SubjectStandIn``.
    init(subject: AnyObject, standingFor object: AnyObject? = nil) {
        subjectType = type(of: object ?? subject)
        subjectIdentity = ObjectIdentifier(object ?? subject)
        isStandIn = object != nil
        subjectReference = Unretained(subject)
    }

    // MARK: Lists

    /// How many lists there have been so far.
    var listCount: UInt32 { lists.load(ordering: .relaxed) }

    /// Counts a list in that is being made, and gives it its number.
    func countList() -> UInt32 { lists.wrappingAdd(1, ordering: .relaxed).oldValue }

    // MARK: The subject as a whole

    /// Whether somebody observes the subject as a whole, so that a property without a list must get one when it changes.
    var isEntirelyObserved: Bool { entireObservers.load(ordering: .relaxed) > 0 }

    /// Counts in or out somebody who wants to know of every list, before looking for those that there are.
    func countEntireObserver(_ change: Int32) {
        entireObservers.wrappingAdd(change, ordering: .relaxed)
        // Either this is seen by who makes a list, or the list by who looks.
        atomicMemoryFence(ordering: .sequentiallyConsistent)
    }

    /// Tells those who want to know that a list was hung in.
    func didMakeList() {
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        if isEntirelyObserved { others.forEach { unsafe $0.with { $0.hook?.didMakeList() } } }
    }

    /// The list of a property, if it was ever observed.
    ///
    /// Not retained: the record keeps it.
    @inline(__always)
    func existingList(ofProperty property: UInt) -> Unretained<ObserverList>? {
        properties.first { $0.property == property }
    }

    /// The list of a property that was asked for by this key path before.
    ///
    /// Not retained: the record keeps it. A key path written in two places is two objects; one look at the objects spares most comparisons.
    func propertyList(spelled keyPath: AnyKeyPath) -> Unretained<ObserverList>? {
        properties.first { $0.isFirstSpelled(keyPath) } ?? properties.first { $0.isSpelled(keyPath) }
    }

    /// The list that a key path is known to lead to; a look at a few lists for the same key path object spares its hash.
    func list(spelled keyPath: AnyKeyPath) -> ObserverList? {
        let found =
            properties.first { $0.isSpelled(keyPath) } ?? others.first(among: 4) { $0.isFirstSpelled(keyPath) } ?? spelled.first(keyPath)
            ?? (hasOverridingLists.load(ordering: .acquiring) ? others.first { $0.isOverriding && $0.isSpelled(keyPath) } : nil)
        return unsafe found?.object
    }

    /// The list of an inherited property that is followed, and was not observed by this key path yet.
    func inheritedPropertyList(spelled keyPath: AnyKeyPath) -> ObserverList? {
        unsafe properties.first { $0.isUnexamined(keyPath) }?.object
    }

    /// The lists that an announcement of a key path by hand concerns: whatever class it begins with.
    ///
    /// Not retained: the record keeps them.
    func lists(announcedBy keyPath: AnyKeyPath) -> [Unretained<ObserverList>] {
        var found: [Unretained<ObserverList>] = []
        forEachList { list in
            if unsafe list.with({ $0.isAnnounced(by: keyPath) }) { found.append(list) }
        }
        return found
    }

    /// The list of a source that has one, if it was ever observed.
    ///
    /// Not retained: the record keeps it.
    var onlyList: Unretained<ObserverList>? { others.first { _ in true } }

    /// The first list of something else than a property that matches, or a new one.
    func list(where matches: (ObserverList) -> Bool, orMake make: () -> ObserverList) -> ObserverList {
        others.list(where: matches, orMake: make)
    }

    /// The list of something else than a property that a key path leads to, or a new one.
    func list(spelled keyPath: AnyKeyPath, orMake make: () -> ObserverList) -> ObserverList {
        spelled.list(of: keyPath, in: others, lock: lock, orMake: make)
    }

    /// The list of a value that somebody looks at, if anybody ever did.
    package func pulledList(spelled keyPath: AnyKeyPath) -> Unretained<ObserverList>? {
        pulled.first { $0.isAnnounced(by: keyPath) }
    }

    /// The list of a value that somebody looks at, made if there is none.
    func pulledList(spelled keyPath: AnyKeyPath, orMake make: () -> ObserverList) -> ObserverList {
        pulled.list(where: { $0.isAnnounced(by: keyPath) }, orMake: make)
    }

    /// The list of those who want to hear of whatever the subject announces by hand, if there are any.
    var existingAnnouncementList: Unretained<ObserverList>? { others.first { $0.isOfAnnouncements } }

    /// The list of those who want to hear of whatever the subject announces by hand, made if there is none.
    var announcementList: ObserverList {
        others.list(where: { $0.isOfAnnouncements }, orMake: { ObserverList(announcementsOf: self) })
    }

    /// Visits all lists of what is announced.
    func forEachList(_ body: (Unretained<ObserverList>) -> Void) {
        properties.forEach(body)
        others.forEach(body)
    }

    /// All that hangs in the record's lists, list by list.
    var infos: [ObservationInfo] {
        var infos: [ObservationInfo] = []
        forEachList { unsafe infos += $0.object.infos() }
        pulled.forEach { unsafe infos += $0.object.infos() }
        return infos
    }

    /// Whether this is the record of an object, which the caller holds.
    func isRecord(of object: Unretained<AnyObject>) -> Bool { subjectReference == object }

    // MARK: Infos (under the lock)

    private func formWeakReference(to subject: AnyObject) {
        if isWeaklyReferenced.load(ordering: .relaxed) { return }
        unsafe self.subject = subject
        isWeaklyReferenced.store(true, ordering: .releasing)
    }

    /// Counts an info in.
    ///
    /// - Returns: whether the infos must be numbered anew, once the lock is free.
    func noteLinking(_ info: ObservationInfo) -> Bool {
        if info.flags.isDisjoint(with: [.retainsSubject, .ofSameSubject]) {
            unsafe subjectReference.with { formWeakReference(to: $0) }
            unretained.wrappingAdd(1, ordering: .releasing)
        }
        let number = nextSerial
        serial.store(number, ordering: .releasing)
        info.order.store(number, ordering: .relaxed)
        info.linkedAt.store(number, ordering: .relaxed)
        return isTimeToRenumber(at: number)
    }

    /// The serial number after the present one, for a caller that holds the lock and stores it.
    var nextSerial: UInt32 {
        // Zero says that an info is not linked.
        let last = serial.load(ordering: .relaxed)
        return last == .max ? 1 : last + 1
    }

    /// Returns `true` if the infos must be numbered anew after a number was made, once the lock is free.
    func isTimeToRenumber(at number: UInt32) -> Bool { number % Self.longestAge == Self.longestAge - 1 }

    /// Serial numbers are compared by their difference, so none may be older than half of all.
    private static let longestAge: UInt32 = 1 << 30

    /// A serial number that all infos come after.
    var nobody: UInt32 { currentSerial &- Self.longestAge &- (1 << 29) }

    /// Makes the numbers of old infos younger, in their order; nobody under way asks which of them came first.
    func renumber() {
        var infos = infos
        // Whoever has linked an info holds the subject, unless that is on its way out.
        if unsafe !subjectReference.isBeingDestroyed { unsafe infos += (subjectReference.object as? any ListKeeper)?.keptInfos ?? [] }
        lock.withLock {
            let linked = infos.filter { $0.isLinked }
            renumber(linked) {
                $0.linkedAt.load(ordering: .relaxed)
            } store: {
                $0.linkedAt.store($1, ordering: .relaxed)
            }
            renumber(linked) {
                $0.order.load(ordering: .relaxed)
            } store: {
                $0.order.store($1, ordering: .relaxed)
            }
        }
    }

    private func renumber(_ infos: [ObservationInfo], load: (ObservationInfo) -> UInt32, store: (ObservationInfo, UInt32) -> Void) {
        let current = currentSerial
        func age(_ info: ObservationInfo) -> UInt32 { current &- load(info) }
        let old = infos.indices.filter { age(infos[$0]) > Self.longestAge }
        var number = current &- Self.longestAge
        for index in old.sorted(by: { age(infos[$0]) < age(infos[$1]) }) {
            // Zero says that an info is not linked.
            if number == 0 { number &-= 1 }
            store(infos[index], number)
            number &-= 1
        }
    }

    func noteUnlinking(_ info: ObservationInfo) {
        info.linkedAt.store(0, ordering: .relaxed)
        if info.flags.isDisjoint(with: [.retainsSubject, .ofSameSubject]) { unretained.wrappingSubtract(1, ordering: .releasing) }
    }

    // MARK: The subject's life

    func retainSubject() {
        // SAFETY: called while the caller holds the subject; `releaseSubject()` balances it.
        unsafe subjectReference.retain()
    }

    func releaseSubject() {
        // SAFETY: balances `retainSubject()`; called once for each, by whoever removed the info.
        unsafe subjectReference.release()
    }

    /// Makes `livingSubject` answer even if all observers retain the subject.
    func referWeakly(to subject: AnyObject) {
        lock.withLock { formWeakReference(to: subject) }
    }

    /// The subject of an info that was linked, unless the subject is being destroyed.
    ///
    /// An info that retains the subject has not released it yet. For every other info a weak reference was formed before it was linked, and
    /// that reference stays: whether the info is still counted as linked makes no difference to the answer.
    func subject(of info: ObservationInfo) -> AnyObject? {
        unsafe info.flags.contains(.retainsSubject) ? subjectReference.object : livingSubject
    }

    /// The subject, kept alive by whoever asks: only for a delivery, which it lives through.
    var subjectOfDelivery: AnyObject {
        let subject = unsafe subjectReference.object
        return isStandIn ? (subject as? any SubjectStandIn)?.object ?? subject : subject
    }

    /// The subject of a delivery to an info that is registered, unless it is being destroyed.
    func livingSubjectOfDelivery(to info: ObservationInfo) -> AnyObject? {
        subject(of: info).map { isStandIn ? ($0 as? any SubjectStandIn)?.object ?? $0 : $0 }
    }

    /// The subject, unless it is being destroyed; nil if nobody ever observed it without retaining it.
    ///
    /// Only a weak load can tell.
    var livingSubject: AnyObject? { isWeaklyReferenced.load(ordering: .acquiring) ? unsafe subject : nil }

    // MARK: Deliveries

    /// Pins the record for a delivery, and keeps the subject alive if its observers do not.
    ///
    /// - Returns: the pin, for ``unpin(_:)``, and what must be kept as long; nil if the subject is dying, whose changes are nobody's business.
    @inline(__always)
    func beginDelivery() -> (pin: DeliveryPins.Pin, keepAlive: AnyObject?)? {
        var keepAlive: AnyObject?
        if mayDieObserved {
            keepAlive = livingSubject
            if keepAlive == nil { return nil }
        }
        return (pins.pin(), keepAlive)
    }

    /// Runs something that walks the lists.
    func pinned(_ body: () -> Void) {
        let pin = pins.pin()
        body()
        unpin(pin)
    }

    @inline(__always)
    func unpin(_ pin: DeliveryPins.Pin) {
        if pins.unpin(pin) { collect() }
    }

    /// Releases what no delivery can see any more.
    @inline(never)
    private func collect() { lock.withLock { unsafe limbo.collect(pins) }.release() }

    /// Takes charge of a list's reference to an info that was just unlinked, under the lock.
    func retire(_ info: Unretained<ObservationInfo>) -> Reclaimed {
        unsafe limbo.retire(info.erased, pins)
    }

    /// Keeps what was taken out of sight until the last delivery has passed that might still see it.
    func retire(_ object: AnyObject) {
        if pins.areNone { return }
        let reference = Unretained(object)
        // SAFETY: released by whoever reclaims it.
        unsafe reference.retain()
        lock.withLock { unsafe limbo.retire(reference, pins) }.release()
    }

    /// Whether a delivery must ask for the living subject first.
    var mayDieObserved: Bool { unretained.load(ordering: .acquiring) > 0 }

    /// The number that tells infos linked before now from those linked later.
    var currentSerial: UInt32 { serial.load(ordering: .acquiring) }
}

/// A registrar of Swift's Observation in an object of its own, which is exchanged atomically.
final class SwiftRegistrar: Sendable {
    let registrar = ObservationRegistrar()
}
