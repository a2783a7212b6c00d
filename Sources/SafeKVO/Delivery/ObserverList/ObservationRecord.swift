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
    // SAFETY: (of @unchecked Sendable) `lock` guards the variables (`var`) of this class, except `subject`, and the
    // links between its registrations. `subject` is written once, under the lock, and read only after the atomic flag
    // `isWeaklyReferenced` has been set. Everything else is atomic or constant.

    let lock = Lock()
    var isDead = false
    let pins = DeliveryPins()
    // SAFETY: (of the unchecked exclusivity) each use of `limbo` holds the lock, and calls no code of the program.
    @exclusivity(unchecked) private var limbo = Limbo()

    /// The last serial number that was assigned.
    ///
    /// Each registration gets a number when it is added to a list, and each pause of a controller gets one.
    let serial = Atomic<UInt32>(0)
    /// The number of added registrations that do not retain the observed object.
    ///
    /// If the number is zero, every registration keeps the object alive. Then a delivery need not check whether the
    /// object is being deallocated.
    private let unretained = Atomic<Int32>(0)
    let properties = ListChain()
    private let others = ListChain()
    /// `true` if the record has an observer list for a computed property that overrides a stored property.
    let hasOverridingLists = Atomic<Bool>(false)
    private let spelled = SpellingIndex()
    /// The lists of values that the library itself checks for changes, for example by polling.
    let pulled = ListChain()
    private let lists = Atomic<UInt32>(0)

    /// The number of observer lists for `\.self`, the whole object.
    ///
    /// An observer of the whole object follows all other lists, so it is told of each new one.
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

    /// The events that wait until the initial call of their observer has ended.
    var starts: [InfoStart] = []
    /// The events that wait until another thread has finished calling their observer, or until the controller resumes.
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
    /// In that case, a property gets an observer list when it changes, even if it has no observer of its own.
    var isEntirelyObserved: Bool { entireObservers.load(ordering: .relaxed) > 0 }

    /// Adds `change` to the number of observer lists for `\.self`, the whole object.
    ///
    /// `didMakeList()` reports only later lists. After an increase, the caller must look for the existing ones.
    func countEntireObserver(_ change: Int32) {
        entireObservers.wrappingAdd(change, ordering: .relaxed)
        // One thread may add a list while another begins to observe `\.self`. Because of this fence and the one in
        // `didMakeList()`, the first thread sees the new count, or the second one finds the new list.
        atomicMemoryFence(ordering: .sequentiallyConsistent)
    }

    /// Notifies the observers of `\.self` that this record has a new list.
    func didMakeList() {
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        if isEntirelyObserved { others.forEach { unsafe $0.with { $0.hook?.didMakeList() } } }
    }

    @inline(__always)
    func existingList(ofProperty property: UInt) -> Unretained<ObserverList>? {
        properties.first { $0.property == property }
    }

    /// Returns the list of the stored property that was observed with this key path, or `nil` if there is none.
    ///
    /// The search first compares the key path objects, which is quick. Equal key paths may be different objects, so a
    /// second search compares their contents.
    func propertyList(spelled keyPath: AnyKeyPath) -> Unretained<ObserverList>? {
        properties.first { $0.isFirstSpelled(keyPath) } ?? properties.first { $0.isSpelled(keyPath) }
    }

    /// Returns the list that belongs to a key path, or `nil` if there is none.
    ///
    /// The hash of a key path is slow to compute. So the search first looks in the four oldest lists for the same key
    /// path object.
    func list(spelled keyPath: AnyKeyPath) -> ObserverList? {
        let found =
            properties.first { $0.isSpelled(keyPath) } ?? others.first(among: 4) { $0.isFirstSpelled(keyPath) } ?? spelled.first(keyPath)
            ?? (hasOverridingLists.load(ordering: .acquiring) ? others.first { $0.isOverriding && $0.isSpelled(keyPath) } : nil)
        return unsafe found?.object
    }

    /// Returns the list of an inherited property with this key path, or `nil` if there is none.
    ///
    /// The result is also `nil` if the library knows already whether the object's class overrides the property.
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

    /// Returns `true` once for every `longestAge` serial numbers; `number` is the one that was just assigned.
    ///
    /// The caller must then call `renumber()` after it has released the lock.
    func isTimeToRenumber(at number: UInt32) -> Bool { number % Self.longestAge == Self.longestAge - 1 }

    /// If a serial number differs from the newest one by more than this value, `renumber()` raises it.
    ///
    /// Serial numbers wrap around, so the sign of the difference tells which number is newer. The sign is right only if
    /// the difference is less than half of the range.
    private static let longestAge: UInt32 = 1 << 30

    /// A limit that makes a delivery skip all observers, because their serial numbers are greater.
    ///
    /// Only a registration older than 1.5 times `longestAge` would be notified.
    var nobody: UInt32 { currentSerial &- Self.longestAge &- (1 << 29) }

    /// Raises the serial numbers of registrations older than `longestAge`, so that comparisons stay right when numbers wrap around.
    ///
    /// This changes neither the order of the registrations nor the deliveries in progress.
    func renumber() {
        var infos = infos
        // Some event sources keep observer lists outside this record. Do not read those if such a source is being deallocated.
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
        // SAFETY: the caller keeps the object alive during this call. `releaseSubject()` balances the retain.
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
    /// The registration must have been added to a list. If it retains the object, it must not have released it yet.
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
    /// - Returns: The pin for ``unpin(_:)``. `keepAlive` is the observed object if the caller must retain it during the
    ///   delivery, because some registration does not.
    @inline(__always)
    func beginDelivery() -> (pin: DeliveryPins.Pin, keepAlive: AnyObject?)? {
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
    func unpin(_ pin: DeliveryPins.Pin) {
        if pins.unpin(pin) { collect() }
    }

    @inline(never)
    private func collect() { lock.withLock { unsafe limbo.collect(pins) }.release() }

    /// Keeps a list's reference to a removed registration until no delivery uses the registration.
    ///
    /// Returns all kept references that have become unnecessary. The caller must hold the lock, and must release the result
    /// after the lock.
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
