internal import CSafeKVO
internal import Observation
internal import Synchronization

/// The observations of one observed object: a list of observers for each observed key.
///
/// A stored property of the object, its registrar, retains the record from the first observation until the object is
/// deallocated. Each registration retains the record, too.
///
/// A delivery *pins* the record, so that removed registrations stay in memory until the delivery ends.
@usableFromInline
package final class ObservationRecord: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `lock` guards the variables (`var`) of this class and the links between its
    // registrations. Only `subject` is read without the lock: it is written once, before the atomic flag
    // `isWeaklyReferenced` is set, and read after that. Everything else is atomic or constant.

    let lock = Lock()
    var isDead = false
    let pins = EpochPins()
    // SAFETY: (of the unchecked exclusivity) each use of `limbo` holds the lock and runs no code of the program. So no
    // two uses overlap.
    @exclusivity(unchecked) private var limbo = EpochLimbo()

    /// The last serial number that was assigned.
    ///
    /// Each registration gets a number when it is added to a list, and each pause of a controller gets one.
    let serial = Atomic<UInt32>(0)
    /// The number of added registrations that do not keep the observed object alive.
    ///
    /// While it is zero, a delivery need not check whether the object is being deallocated.
    private let unretained = Atomic<Int32>(0)
    let properties = ListChain()
    private let others = ListChain()
    /// `true` if a list belongs to a computed property that overrides a stored one, so that searches must look for it.
    let hasOverridingLists = Atomic<Bool>(false)
    private let spelled = SpellingIndex()
    /// The lists of values that the library itself checks for changes, for example by polling.
    let pulled = ListChain()
    private let lists = Atomic<UInt32>(0)

    /// The number of observer lists for `\.self`, the whole object.
    private let entireObservers = Atomic<Int32>(0)

    /// The address of the observed object.
    ///
    /// It may be dereferenced only while something else keeps the object alive.
    let subjectReference: Unretained<AnyObject>
    // SAFETY: (of the unchecked exclusivity) `subject` is written once, under the lock, before `isWeaklyReferenced` is
    // set, and read only after that.
    @exclusivity(unchecked) private weak var subject: AnyObject?
    private let isWeaklyReferenced = Atomic<Bool>(false)

    var announcements: [OpenAnnouncement] = []
    let announcementCount = Atomic<Int>(0)

    /// For each registration whose initial call has not ended, the events that wait for the end of the call.
    var starts: [InfoStart] = []
    /// For each registration that another thread is calling or whose controller is paused, the events that wait.
    var mail: [InfoStart] = []

    let subjectType: AnyClass

    let subjectIdentity: ObjectIdentifier

    /// The registrar for Swift's Observation framework, or empty if that framework does not track the object.
    let swiftRegistrar = AtomicLazyReference<SwiftRegistrar>()

    /// `true` if `subjectReference` is not the observed object but a stand-in, an object that represents it.
    private let isStandIn: Bool

    init(subject: AnyObject, standingFor object: AnyObject? = nil) {
        subjectType = type(of: object ?? subject)
        subjectIdentity = ObjectIdentifier(object ?? subject)
        isStandIn = object != nil
        subjectReference = Unretained(subject)
    }

    // MARK: Lists

    var listCount: UInt32 { lists.load(ordering: .relaxed) }

    func countList() -> UInt32 { lists.wrappingAdd(1, ordering: .relaxed).oldValue }

    // MARK: Observers of the whole object

    /// `true` if the whole object is observed, by `\.self`.
    ///
    /// Then each property gets a list when it changes, even without an observer of its own.
    var isEntirelyObserved: Bool { entireObservers.load(ordering: .relaxed) > 0 }

    /// Adds `change` to the number of observer lists for `\.self`, the whole object.
    ///
    /// After an increase, the caller must look for the existing lists, because `didMakeList()` reports only later ones.
    func countEntireObserver(_ change: Int32) {
        entireObservers.wrappingAdd(change, ordering: .relaxed)
        // One thread may add a list while another begins to observe `\.self`. Because of this fence and the one in
        // `didMakeList()`, the first thread sees the new count, or the second one finds the new list.
        atomicMemoryFence(ordering: .sequentiallyConsistent)
    }

    /// Reports the observer list of one more property to the observers of `\.self`, which observe every property.
    func didMakeList() {
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        if isEntirelyObserved { others.forEach { unsafe $0.with { $0.hook?.didMakeList() } } }
    }

    @inline(__always)
    func existingList(ofProperty property: UInt) -> Unretained<ObserverList>? {
        properties.first { $0.property == property }
    }

    /// Returns the list of the stored property to which a key path leads, or `nil` if none has been used with this key path.
    ///
    /// Comparing addresses is quick, so only a second search compares the contents of the key paths.
    func propertyList(spelled keyPath: AnyKeyPath) -> Unretained<ObserverList>? {
        properties.first { $0.isFirstSpelled(keyPath) } ?? properties.first { $0.isSpelled(keyPath) }
    }

    /// Returns the list that belongs to a key path, or `nil` if there is none.
    ///
    /// The hash of a key path is slow to compute. So the search first compares addresses in the four oldest lists.
    func list(spelled keyPath: AnyKeyPath) -> ObserverList? {
        let found =
            properties.first { $0.isSpelled(keyPath) } ?? others.first(among: 4) { $0.isFirstSpelled(keyPath) } ?? spelled.first(keyPath)
            ?? (hasOverridingLists.load(ordering: .acquiring) ? others.first { $0.isOverriding && $0.isSpelled(keyPath) } : nil)
        return unsafe found?.object
    }

    /// Returns the list of the inherited property with this key path, if the property must still be checked for an override.
    func inheritedPropertyList(spelled keyPath: AnyKeyPath) -> ObserverList? {
        unsafe properties.first { $0.isUnexamined(keyPath) }?.object
    }

    /// Returns the lists whose observers a manual notification of a key path must notify.
    ///
    /// Key paths that differ only in the class that they begin with count as equal.
    func lists(announcedBy keyPath: AnyKeyPath) -> [Unretained<ObserverList>] {
        var found: [Unretained<ObserverList>] = []
        forEachList { list in
            if unsafe list.with({ $0.isAnnounced(by: keyPath) }) { found.append(list) }
        }
        return found
    }

    /// The only list of an event source, or `nil` if the source has never been observed.
    var onlyList: Unretained<ObserverList>? { others.first { _ in true } }

    func list(where matches: (ObserverList) -> Bool, orMake make: () -> ObserverList) -> ObserverList {
        others.list(where: matches, orMake: make)
    }

    func list(spelled keyPath: AnyKeyPath, orMake make: () -> ObserverList) -> ObserverList {
        spelled.list(of: keyPath, in: others, lock: lock, orMake: make)
    }

    /// Returns the list of a value that the library itself checks for changes, or `nil` if there is none.
    package func pulledList(spelled keyPath: AnyKeyPath) -> Unretained<ObserverList>? {
        pulled.first { $0.isAnnounced(by: keyPath) }
    }

    func pulledList(spelled keyPath: AnyKeyPath, orMake make: () -> ObserverList) -> ObserverList {
        pulled.list(where: { $0.isAnnounced(by: keyPath) }, orMake: make)
    }

    var existingAnnouncementList: Unretained<ObserverList>? { others.first { $0.isOfAnnouncements } }

    var announcementList: ObserverList {
        others.list(where: { $0.isOfAnnouncements }, orMake: { ObserverList(announcementsOf: self) })
    }

    func forEachList(_ body: (Unretained<ObserverList>) -> Void) {
        properties.forEach(body)
        others.forEach(body)
    }

    var infos: [ObservationInfo] {
        var infos: [ObservationInfo] = []
        forEachList { unsafe infos += $0.object.infos() }
        pulled.forEach { unsafe infos += $0.object.infos() }
        return infos
    }

    func isRecord(of object: Unretained<AnyObject>) -> Bool { subjectReference == object }

    // MARK: Registrations (used under the lock)

    private func formWeakReference(to subject: AnyObject) {
        if isWeaklyReferenced.load(ordering: .relaxed) { return }
        unsafe self.subject = subject
        isWeaklyReferenced.store(true, ordering: .releasing)
    }

    /// Counts a registration that is being added to a list, and assigns a serial number.
    ///
    /// - Returns: `true` if the caller must call `renumber()` after it has released the lock.
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

    /// The next serial number.
    ///
    /// The caller must hold the lock, and must store the number in `serial`.
    var nextSerial: UInt32 {
        // Zero is skipped, because it marks a registration that is in no list.
        let last = serial.load(ordering: .relaxed)
        return last == .max ? 1 : last + 1
    }

    /// Returns `true` if the caller must call `renumber()` after it has released the lock.
    ///
    /// `number` is the number that was just assigned.
    func isTimeToRenumber(at number: UInt32) -> Bool { number % Self.renumberingPeriod == Self.renumberingPeriod - 1 }

    /// `renumber()` is called each time after this many serial numbers.
    static let renumberingPeriod: UInt32 = 1 << 28

    /// `renumber()` raises serial numbers that differ from the newest one by more than this value.
    ///
    /// Serial numbers wrap around, so two of them can be compared only if they differ by less than half of the range, 2³¹. After
    /// `renumber()`, each of *n* registrations differs from the newest number by at most `longestAge + n`, and until the next call by
    /// at most `renumberingPeriod` more. This is less than 1.5 times `longestAge` for fewer than 2²⁸ registrations.
    private static let longestAge: UInt32 = 1 << 30

    /// The limit for a delivery that must notify no observer, because every registration has a greater serial number.
    var nobody: UInt32 { currentSerial &- Self.longestAge &- (1 << 29) }

    /// Raises the serial numbers of registrations older than `longestAge`, so that comparisons stay right when numbers wrap around.
    ///
    /// The order of the registrations stays the same, and deliveries in progress are not affected.
    func renumber() {
        var infos = infos
        // Some event sources keep lists outside this record. Do not ask a source that is being deallocated.
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
            if number == 0 { number &-= 1 }
            store(infos[index], number)
            number &-= 1
        }
    }

    func noteUnlinking(_ info: ObservationInfo) {
        info.linkedAt.store(0, ordering: .relaxed)
        if info.flags.isDisjoint(with: [.retainsSubject, .ofSameSubject]) { unretained.wrappingSubtract(1, ordering: .releasing) }
    }

    // MARK: The life of the observed object

    func retainSubject() {
        // SAFETY: the caller keeps the object alive meanwhile. `releaseSubject()` balances this retain.
        unsafe subjectReference.retain()
    }

    func releaseSubject() {
        // SAFETY: each call balances one `retainSubject()`.
        unsafe subjectReference.release()
    }

    func referWeakly(to subject: AnyObject) {
        lock.withLock { formWeakReference(to: subject) }
    }

    /// Returns the observed object of a registration, or `nil` if the object is being deallocated.
    ///
    /// The registration must have been added to a list, and must not have released the object yet.
    func subject(of info: ObservationInfo) -> AnyObject? {
        unsafe info.flags.contains(.retainsSubject) ? subjectReference.object : livingSubject
    }

    /// The observed object that handlers get.
    ///
    /// Use it only during a delivery, which keeps the object alive.
    var subjectOfDelivery: AnyObject {
        let subject = unsafe subjectReference.object
        return isStandIn ? (subject as? any SubjectStandIn)?.object ?? subject : subject
    }

    /// Returns the observed object that a handler would get, or `nil` if the object is being deallocated.
    func livingSubjectOfDelivery(to info: ObservationInfo) -> AnyObject? {
        subject(of: info).map { isStandIn ? ($0 as? any SubjectStandIn)?.object ?? $0 : $0 }
    }

    var livingSubject: AnyObject? { isWeaklyReferenced.load(ordering: .acquiring) ? unsafe subject : nil }

    // MARK: Deliveries

    /// Pins the record, so that removed registrations stay in memory; returns `nil` if the object is being deallocated.
    ///
    /// - Returns: The pin for ``unpin(_:)``. The caller must also retain `keepAlive` during the delivery: the object, or
    ///   `nil` if all registrations retain the object.
    @inline(__always)
    func beginDelivery() -> (pin: EpochPins.Pin, keepAlive: AnyObject?)? {
        var keepAlive: AnyObject?
        if mayDieObserved {
            keepAlive = livingSubject
            if keepAlive == nil { return nil }
        }
        return (pins.pin(), keepAlive)
    }

    func pinned(_ body: () -> Void) {
        let pin = pins.pin()
        body()
        unpin(pin)
    }

    @inline(__always)
    func unpin(_ pin: EpochPins.Pin) {
        if pins.unpin(pin) { collect() }
    }

    @inline(never)
    private func collect() { lock.withLock { unsafe limbo.collect(pins) }.release() }

    /// Takes over a list's reference to a removed registration, and keeps it while a delivery may use the registration.
    ///
    /// The caller must hold the lock.
    ///
    /// - Returns: The references that no delivery needs any more. The caller must release them without the lock.
    func retire(_ info: Unretained<ObservationInfo>) -> Reclaimed {
        unsafe limbo.retire(info.erased, pins)
    }

    func retire(_ object: AnyObject) {
        if pins.areNone { return }
        let reference = Unretained(object)
        // SAFETY: `Reclaimed.release()` balances this retain.
        unsafe reference.retain()
        lock.withLock { unsafe limbo.retire(reference, pins) }.release()
    }

    /// `true` if the object may be deallocated while it is observed, because some registration does not retain it.
    var mayDieObserved: Bool { unretained.load(ordering: .acquiring) > 0 }

    var currentSerial: UInt32 { serial.load(ordering: .acquiring) }
}

final class SwiftRegistrar: Sendable {
    let registrar = ObservationRegistrar()
}
