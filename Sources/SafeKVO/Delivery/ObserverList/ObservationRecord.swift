internal import CSafeKVO
internal import Observation
internal import Synchronization

/// The observations of one observed object: a list of observers for each observed key.
///
/// The object's registrar retains the record from the first observation until the object is deallocated. Each registration retains the
/// record, too.
@usableFromInline
package final class ObservationRecord: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `lock` guards `isDead`, `limbo`, `starts`, `mail`, `announcements` and the links between infos.
    // `subject` is written once, under the lock. Other threads read it only after `isWeaklyReferenced` has been set. Everything else is
    // atomic or constant.

    let lock = Lock()
    var isDead = false
    let pins = DeliveryPins()
    // SAFETY: (of the unchecked exclusivity) It is used only under the lock, by functions that call no code of the program.
    @exclusivity(unchecked) private var limbo = Limbo()

    /// The last serial number that was assigned; see ``renumber()``.
    ///
    /// Each registration gets a number when it is added to a list. Each pause of a controller gets one, too.
    let serial = Atomic<UInt32>(0)
    /// The number of registrations in the lists that do not retain the observed object.
    ///
    /// If it is zero, the observers keep the object alive. Then a delivery need not check whether the object is being deallocated.
    private let unretained = Atomic<Int32>(0)
    /// The lists of stored properties.
    ///
    /// Each setter searches them. So they are kept apart from the lists of other keys, which may be many.
    let properties = ListChain()
    private let others = ListChain()
    /// `true` if some list in `others` belongs to a getter that overrides a stored property.
    let hasOverridingLists = Atomic<Bool>(false)
    /// An index that finds a list in `others` by its key path.
    private let spelled = SpellingIndex()
    /// The lists of values that do not notify of their changes, so that the library has to look for changes, for example by polling.
    let pulled = ListChain()
    /// The number of lists that have been created.
    private let lists = Atomic<UInt32>(0)

    /// The number of lists with observers of `\.self`, the whole object; they are notified when another list is created.
    private let entireObservers = Atomic<Int32>(0)

    /// The address of the observed object; it may be dereferenced only while something else keeps the object alive.
    let subjectReference: Unretained<AnyObject>
    // SAFETY: (of the unchecked exclusivity) It is written once, under the lock, before `isWeaklyReferenced` is set. It is read only after
    // that.
    @exclusivity(unchecked) private weak var subject: AnyObject?
    /// `true` if `subject` has been written; it never becomes `false` again.
    private let isWeaklyReferenced = Atomic<Bool>(false)

    /// The manual notifications in progress, of all threads.
    var announcements: [OpenAnnouncement] = []
    /// The number of manual notifications in progress, readable without the lock.
    let announcementCount = Atomic<Int>(0)

    /// The events that wait because the initial call of their observer is not over.
    var starts: [InfoStart] = []
    /// The events that threads have left for the thread that is calling the observer.
    var mail: [InfoStart] = []

    /// The class of the observed object, for diagnostics after the object has been deallocated.
    let subjectType: AnyClass

    /// The identity of the object that observers registered for.
    let subjectIdentity: ObjectIdentifier

    /// The registrar for Swift's Observation framework; empty unless that framework tracks the observed object.
    let swiftRegistrar = AtomicLazyReference<SwiftRegistrar>()

    /// `true` if `subjectReference` is not the object that observers registered for, but a stand-in that represents it.
    private let isStandIn: Bool

    /// Creates the record of an observed object.
    ///
    /// - Parameters:
    ///   - subject: The object that keeps the record.
    ///   - object: The object that observers registered for, if `subject` only represents it; otherwise `nil`.
    init(subject: AnyObject, standingFor object: AnyObject? = nil) {
        subjectType = type(of: object ?? subject)
        subjectIdentity = ObjectIdentifier(object ?? subject)
        isStandIn = object != nil
        subjectReference = Unretained(subject)
    }

    // MARK: Lists

    var listCount: UInt32 { lists.load(ordering: .relaxed) }

    /// Counts a list that is being created, and returns the number of lists before it.
    func countList() -> UInt32 { lists.wrappingAdd(1, ordering: .relaxed).oldValue }

    // MARK: Observers of the whole object

    /// `true` if the whole object is observed, by `\.self`.
    ///
    /// Then a property gets a list when it changes, even if it has no observer of its own.
    var isEntirelyObserved: Bool { entireObservers.load(ordering: .relaxed) > 0 }

    /// Adds to the number of lists with observers of `\.self`, or subtracts from it.
    ///
    /// After an increase, the caller must look for other lists that exist already.
    func countEntireObserver(_ change: Int32) {
        entireObservers.wrappingAdd(change, ordering: .relaxed)
        // One thread adds a list while another one begins to observe `\.self`. Without a fence, each could miss the other. With it, at
        // least one of them sees the other.
        atomicMemoryFence(ordering: .sequentiallyConsistent)
    }

    /// Notifies the lists for `\.self` that this record has a new list.
    func didMakeList() {
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        if isEntirelyObserved { others.forEach { unsafe $0.with { $0.hook?.didMakeList() } } }
    }

    /// Returns the list of a stored property, without retaining it, or `nil` if there is none.
    @inline(__always)
    func existingList(ofProperty property: UInt) -> Unretained<ObserverList>? {
        properties.first { $0.property == property }
    }

    /// Returns the list of the stored property that has been observed with this key path, without retaining it, or `nil` if there is none.
    ///
    /// A key path that is written in two places of the source is two objects. So the search first compares the objects, which is quick. It
    /// compares the key paths only if it finds nothing.
    func propertyList(spelled keyPath: AnyKeyPath) -> Unretained<ObserverList>? {
        properties.first { $0.isFirstSpelled(keyPath) } ?? properties.first { $0.isSpelled(keyPath) }
    }

    /// Returns the list that belongs to a key path, or `nil` if there is none.
    ///
    /// The hash of a key path is slow to compute. So the search first looks in the four oldest lists for the same key path object.
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

    /// Returns the lists whose observers a manual notification of a key path must notify, without retaining them.
    ///
    /// Key paths that differ only in the class that they begin with count as equal.
    func lists(announcedBy keyPath: AnyKeyPath) -> [Unretained<ObserverList>] {
        var found: [Unretained<ObserverList>] = []
        forEachList { list in
            if unsafe list.with({ $0.isAnnounced(by: keyPath) }) { found.append(list) }
        }
        return found
    }

    /// The list of an event source, which has only one, not retained; `nil` if the source has never been observed.
    var onlyList: Unretained<ObserverList>? { others.first { _ in true } }

    /// Returns the first matching list that is not the list of a stored property; creates and adds a list if there is none.
    func list(where matches: (ObserverList) -> Bool, orMake make: () -> ObserverList) -> ObserverList {
        others.list(where: matches, orMake: make)
    }

    /// Returns the list of a key path that does not name a stored property; creates and adds it if there is none.
    func list(spelled keyPath: AnyKeyPath, orMake make: () -> ObserverList) -> ObserverList {
        spelled.list(of: keyPath, in: others, lock: lock, orMake: make)
    }

    /// Returns the list of a value that the library itself checks for changes, or `nil` if there is none.
    package func pulledList(spelled keyPath: AnyKeyPath) -> Unretained<ObserverList>? {
        pulled.first { $0.isAnnounced(by: keyPath) }
    }

    /// Returns the list of a value that the library itself checks for changes; creates and adds it if there is none.
    func pulledList(spelled keyPath: AnyKeyPath, orMake make: () -> ObserverList) -> ObserverList {
        pulled.list(where: { $0.isAnnounced(by: keyPath) }, orMake: make)
    }

    /// The list of observers that are notified of every manual notification of the object; `nil` if there is none.
    var existingAnnouncementList: Unretained<ObserverList>? { others.first { $0.isOfAnnouncements } }

    /// The list of observers that are notified of every manual notification of the object; created if there is none.
    var announcementList: ObserverList {
        others.list(where: { $0.isOfAnnouncements }, orMake: { ObserverList(announcementsOf: self) })
    }

    /// Calls a closure with each list, except those in `pulled`.
    func forEachList(_ body: (Unretained<ObserverList>) -> Void) {
        properties.forEach(body)
        others.forEach(body)
    }

    /// All registrations in the record's lists.
    var infos: [ObservationInfo] {
        var infos: [ObservationInfo] = []
        forEachList { unsafe infos += $0.object.infos() }
        pulled.forEach { unsafe infos += $0.object.infos() }
        return infos
    }

    /// Returns `true` if this is the record of the given object.
    func isRecord(of object: Unretained<AnyObject>) -> Bool { subjectReference == object }

    // MARK: Infos (used under the lock)

    private func formWeakReference(to subject: AnyObject) {
        if isWeaklyReferenced.load(ordering: .relaxed) { return }
        unsafe self.subject = subject
        isWeaklyReferenced.store(true, ordering: .releasing)
    }

    /// Assigns a serial number to a registration that is being added to a list, and counts it.
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

    /// Returns `true` if the caller must call `renumber()`, because it has assigned this serial number; it must release the lock first.
    func isTimeToRenumber(at number: UInt32) -> Bool { number % Self.longestAge == Self.longestAge - 1 }

    /// The greatest allowed difference between the present serial number and an older one.
    ///
    /// Serial numbers wrap around, so the sign of the difference says which of two numbers is newer. That is right only while the
    /// difference is less than half of the range.
    private static let longestAge: UInt32 = 1 << 30

    /// A cutoff serial below the serial numbers of all registrations, so that a delivery with it skips all observers.
    var nobody: UInt32 { currentSerial &- Self.longestAge &- (1 << 29) }

    /// Raises the serial numbers of old registrations, so that the numbers can wrap around.
    ///
    /// The registrations keep their order. Each delivery in progress notifies the same observers as it would without this call.
    func renumber() {
        var infos = infos
        // An event source may keep some lists itself. It can be asked for them unless it is being deallocated. The thread that has just
        // added a registration keeps the source alive.
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
            // Zero is skipped, because it marks a registration that is in no list.
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
        // SAFETY: The caller keeps the object alive during this call. `releaseSubject()` balances the retain.
        unsafe subjectReference.retain()
    }

    func releaseSubject() {
        // SAFETY: This balances `retainSubject()`. The thread that removes a registration calls it, once for each retain.
        unsafe subjectReference.release()
    }

    /// Forms the weak reference that `livingSubject` reads.
    func referWeakly(to subject: AnyObject) {
        lock.withLock { formWeakReference(to: subject) }
    }

    /// Returns the observed object of a registration, or `nil` if the object is being deallocated.
    ///
    /// The registration must have been in a list. If it retains the object, it must not have released it yet. Otherwise this loads the weak
    /// reference that was formed when the registration was added.
    func subject(of info: ObservationInfo) -> AnyObject? {
        unsafe info.flags.contains(.retainsSubject) ? subjectReference.object : livingSubject
    }

    /// The observed object that handlers receive; use it only during a delivery, which keeps the object alive.
    var subjectOfDelivery: AnyObject {
        let subject = unsafe subjectReference.object
        return isStandIn ? (subject as? any SubjectStandIn)?.object ?? subject : subject
    }

    /// Returns the observed object that a handler would receive, or `nil` if the object is being deallocated.
    func livingSubjectOfDelivery(to info: ObservationInfo) -> AnyObject? {
        subject(of: info).map { isStandIn ? ($0 as? any SubjectStandIn)?.object ?? $0 : $0 }
    }

    /// The observed object, or `nil` if it is being deallocated or no weak reference to it was ever formed.
    var livingSubject: AnyObject? { isWeaklyReferenced.load(ordering: .acquiring) ? unsafe subject : nil }

    // MARK: Deliveries

    /// Pins the record for a delivery.
    ///
    /// - Returns: The pin, which the caller passes to ``unpin(_:)``, and the observed object, if the delivery must retain it because its
    ///   observers do not. Returns `nil` if the object is being deallocated, because its changes notify nobody.
    @inline(__always)
    func beginDelivery() -> (pin: DeliveryPins.Pin, keepAlive: AnyObject?)? {
        var keepAlive: AnyObject?
        if mayDieObserved {
            keepAlive = livingSubject
            if keepAlive == nil { return nil }
        }
        return (pins.pin(), keepAlive)
    }

    /// Calls a closure while the record is pinned, so that removed registrations stay in memory.
    func pinned(_ body: () -> Void) {
        let pin = pins.pin()
        body()
        unpin(pin)
    }

    @inline(__always)
    func unpin(_ pin: DeliveryPins.Pin) {
        if pins.unpin(pin) { collect() }
    }

    /// Releases the removed registrations that no delivery can reach.
    @inline(never)
    private func collect() { lock.withLock { unsafe limbo.collect(pins) }.release() }

    /// Takes over the reference that a list had to a removed registration, and returns the references that can be released.
    ///
    /// The caller must hold the lock, and must release the result after it has released the lock.
    func retire(_ info: Unretained<ObservationInfo>) -> Reclaimed {
        unsafe limbo.retire(info.erased, pins)
    }

    /// Keeps a removed object in memory until no delivery in progress can reach it.
    func retire(_ object: AnyObject) {
        if pins.areNone { return }
        let reference = Unretained(object)
        // SAFETY: `Reclaimed.release()` balances this retain.
        unsafe reference.retain()
        lock.withLock { unsafe limbo.retire(reference, pins) }.release()
    }

    /// `true` if a delivery must check that the observed object is not being deallocated, because some observer does not retain it.
    var mayDieObserved: Bool { unretained.load(ordering: .acquiring) > 0 }

    /// The last serial number that was assigned; registrations that are added later get greater numbers.
    var currentSerial: UInt32 { serial.load(ordering: .acquiring) }
}

/// A registrar of Swift's Observation framework, in an object that can be exchanged atomically.
final class SwiftRegistrar: Sendable {
    let registrar = ObservationRegistrar()
}
