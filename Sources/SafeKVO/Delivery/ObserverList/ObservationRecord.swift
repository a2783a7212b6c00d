internal import CSafeKVO
internal import Observation
internal import Synchronization

/// The observations of one observed object.
///
/// It holds the lists of observers, one list for each observed key. The registrar in the observed object refers to the record from the
/// first observation until the object is deallocated. Each info, which is one registration, keeps the record alive as well.
@usableFromInline
package final class ObservationRecord: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `lock` guards `isDead`, `limbo`, `starts`, `mail`, `announcements` and the linking of infos.
    // `subject` is written once, under the lock, before `isWeaklyReferenced` allows others to read it. Everything else is atomic or
    // constant.

    let lock = Lock()
    var isDead = false
    let pins = DeliveryPins()
    // SAFETY: (of the unchecked exclusivity) It is used only under the lock, by functions that call no code of the program.
    @exclusivity(unchecked) private var limbo = Limbo()

    /// The last serial number: each registration that is linked into a list gets one, and so does a pause of a controller.
    ///
    /// The number wraps around; see ``renumber()``.
    let serial = Atomic<UInt32>(0)
    /// The number of linked infos that do not retain the observed object.
    ///
    /// If it is zero, the observers keep the object alive, and no change can come from an object that is being deallocated.
    private let unretained = Atomic<Int32>(0)
    /// The lists of stored properties.
    ///
    /// Each setter searches them, so the lists of other keys, which may be many, are in `others`.
    let properties = ListChain()
    private let others = ListChain()
    /// `true` if some list in `others` belongs to a property that the object's class overrides.
    let hasOverridingLists = Atomic<Bool>(false)
    /// An index of those lists in `others` that belong to a key path.
    private let spelled = SpellingIndex()
    /// The lists of values that do not notify of their changes, so that the library checks them for changes, for example by polling.
    let pulled = ListChain()
    /// The number of lists that have been made, including those that were never added.
    private let lists = Atomic<UInt32>(0)

    /// The number of lists of `\.self` that have observers, and must be notified of each new list of this record.
    private let entireObservers = Atomic<Int32>(0)

    /// The address of the observed object.
    ///
    /// It is dereferenced only where something else keeps the object alive.
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

    /// The class of the observed object, for diagnostics, which may be read after the object has been deallocated.
    let subjectType: AnyClass

    /// The identity of the object that observers registered for.
    let subjectIdentity: ObjectIdentifier

    /// The registrar of Swift's Observation framework, if that framework tracks the observed object.
    let swiftRegistrar = AtomicLazyReference<SwiftRegistrar>()

    /// `true` if the record belongs to a stand-in: an object that represents the one that observers registered for.
    private let isStandIn: Bool

    /// Creates the record of an observed object.
    ///
    /// - Parameters:
    ///   - subject: The object that keeps the record.
    ///   - object: The object that observers registered for, if `subject` is only its ``SubjectStandIn``.
    init(subject: AnyObject, standingFor object: AnyObject? = nil) {
        subjectType = type(of: object ?? subject)
        subjectIdentity = ObjectIdentifier(object ?? subject)
        isStandIn = object != nil
        subjectReference = Unretained(subject)
    }

    // MARK: Lists

    /// The number of lists that have been made.
    var listCount: UInt32 { lists.load(ordering: .relaxed) }

    /// Counts a list that is being made, and returns its number.
    func countList() -> UInt32 { lists.wrappingAdd(1, ordering: .relaxed).oldValue }

    // MARK: Observers of the whole object

    /// `true` if the object is observed as a whole, by `\.self`; then a property that changes needs a list, even if it has no observer.
    var isEntirelyObserved: Bool { entireObservers.load(ordering: .relaxed) > 0 }

    /// Adds to the number of lists of `\.self` that have observers.
    ///
    /// Such a list is notified of each new list of this record. The caller then looks for the lists that exist already.
    func countEntireObserver(_ change: Int32) {
        entireObservers.wrappingAdd(change, ordering: .relaxed)
        // Without a fence, a thread that adds a list and a thread that begins to observe `\.self` could miss each other. With it, at least
        // one of them sees the other.
        atomicMemoryFence(ordering: .sequentiallyConsistent)
    }

    /// Notifies the observers of `\.self` that a list has been added.
    func didMakeList() {
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        if isEntirelyObserved { others.forEach { unsafe $0.with { $0.hook?.didMakeList() } } }
    }

    /// Returns the list of a stored property, or `nil` if the property has never been observed.
    ///
    /// The result is not retained, because the record keeps the list alive.
    @inline(__always)
    func existingList(ofProperty property: UInt) -> Unretained<ObserverList>? {
        properties.first { $0.property == property }
    }

    /// Returns the list of the stored property that has been observed by this key path, or `nil`.
    ///
    /// The result is not retained, because the record keeps the list alive. The same key path, written in two places of the source, is two
    /// objects. So the search first compares the objects, which is quick, and compares the key paths only if that finds nothing.
    func propertyList(spelled keyPath: AnyKeyPath) -> Unretained<ObserverList>? {
        properties.first { $0.isFirstSpelled(keyPath) } ?? properties.first { $0.isSpelled(keyPath) }
    }

    /// Returns the list that belongs to a key path, or `nil` if none is known.
    ///
    /// It is slow to compute the hash of a key path. So the search first looks for the same key path object in a few of the oldest lists.
    func list(spelled keyPath: AnyKeyPath) -> ObserverList? {
        let found =
            properties.first { $0.isSpelled(keyPath) } ?? others.first(among: 4) { $0.isFirstSpelled(keyPath) } ?? spelled.first(keyPath)
            ?? (hasOverridingLists.load(ordering: .acquiring) ? others.first { $0.isOverriding && $0.isSpelled(keyPath) } : nil)
        return unsafe found?.object
    }

    /// Returns the list of an inherited property that the library follows, if the property has not been observed by this key path yet.
    func inheritedPropertyList(spelled keyPath: AnyKeyPath) -> ObserverList? {
        unsafe properties.first { $0.isUnexamined(keyPath) }?.object
    }

    /// Returns the lists that a manual notification of a key path concerns.
    ///
    /// Key paths that differ only in the class that they begin with count as equal. The results are not retained, because the record keeps
    /// the lists alive.
    func lists(announcedBy keyPath: AnyKeyPath) -> [Unretained<ObserverList>] {
        var found: [Unretained<ObserverList>] = []
        forEachList { list in
            if unsafe list.with({ $0.isAnnounced(by: keyPath) }) { found.append(list) }
        }
        return found
    }

    /// Returns the only list of an event source, or `nil` if the source has never been observed.
    ///
    /// The result is not retained, because the record keeps the list alive.
    var onlyList: Unretained<ObserverList>? { others.first { _ in true } }

    /// Returns the first list for which a closure returns `true`, except lists of stored properties, or adds a new list.
    func list(where matches: (ObserverList) -> Bool, orMake make: () -> ObserverList) -> ObserverList {
        others.list(where: matches, orMake: make)
    }

    /// Returns the list of a key path that does not name a stored property, or adds a new list.
    func list(spelled keyPath: AnyKeyPath, orMake make: () -> ObserverList) -> ObserverList {
        spelled.list(of: keyPath, in: others, lock: lock, orMake: make)
    }

    /// Returns the list of a value that the library checks for changes, or `nil` if the value has never been observed.
    package func pulledList(spelled keyPath: AnyKeyPath) -> Unretained<ObserverList>? {
        pulled.first { $0.isAnnounced(by: keyPath) }
    }

    /// Returns the list of a value that the library checks for changes, or adds a new list.
    func pulledList(spelled keyPath: AnyKeyPath, orMake make: () -> ObserverList) -> ObserverList {
        pulled.list(where: { $0.isAnnounced(by: keyPath) }, orMake: make)
    }

    /// The list of observers that follow every manual notification of the object, or `nil` if there is none.
    var existingAnnouncementList: Unretained<ObserverList>? { others.first { $0.isOfAnnouncements } }

    /// The list of observers that follow every manual notification of the object; made if there is none.
    var announcementList: ObserverList {
        others.list(where: { $0.isOfAnnouncements }, orMake: { ObserverList(announcementsOf: self) })
    }

    /// Calls a closure with each list, except those of values that the library checks for changes.
    func forEachList(_ body: (Unretained<ObserverList>) -> Void) {
        properties.forEach(body)
        others.forEach(body)
    }

    /// All infos in the record's lists, list by list.
    var infos: [ObservationInfo] {
        var infos: [ObservationInfo] = []
        forEachList { unsafe infos += $0.object.infos() }
        pulled.forEach { unsafe infos += $0.object.infos() }
        return infos
    }

    /// Returns `true` if this is the record of an object, which the caller keeps alive.
    func isRecord(of object: Unretained<AnyObject>) -> Bool { subjectReference == object }

    // MARK: Infos (used under the lock)

    private func formWeakReference(to subject: AnyObject) {
        if isWeaklyReferenced.load(ordering: .relaxed) { return }
        unsafe self.subject = subject
        isWeaklyReferenced.store(true, ordering: .releasing)
    }

    /// Gives an info its serial number and counts it.
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

    /// The serial number that follows the present one.
    ///
    /// The caller holds the lock and stores the number in `serial`.
    var nextSerial: UInt32 {
        // Zero is skipped, because it marks an info that is not linked.
        let last = serial.load(ordering: .relaxed)
        return last == .max ? 1 : last + 1
    }

    /// Returns `true` if the caller must call `renumber()`, after it has taken this serial number and released the lock.
    func isTimeToRenumber(at number: UInt32) -> Bool { number % Self.longestAge == Self.longestAge - 1 }

    /// The greatest age that a serial number may have.
    ///
    /// Serial numbers wrap around, so the sign of their difference tells which is newer. That works only if no number is older than half of
    /// all numbers.
    private static let longestAge: UInt32 = 1 << 30

    /// A cutoff serial that is older than every info, so that a delivery with it notifies no observer.
    var nobody: UInt32 { currentSerial &- Self.longestAge &- (1 << 29) }

    /// Raises the serial numbers of old infos, so that the numbers can wrap around.
    ///
    /// The infos keep their order, and each delivery in progress notifies the same observers as without this call.
    func renumber() {
        var infos = infos
        // An event source may keep some lists itself. A thread that has linked an info keeps the source alive, so it may be used here
        // unless it is being deallocated.
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
            // Zero is skipped, because it marks an info that is not linked.
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
        // SAFETY: This balances `retainSubject()`. The thread that removed an info calls it, once for each retain.
        unsafe subjectReference.release()
    }

    /// Forms the weak reference to the observed object, so that `livingSubject` works even if all observers retain the object.
    func referWeakly(to subject: AnyObject) {
        lock.withLock { formWeakReference(to: subject) }
    }

    /// Returns the observed object of an info that was linked, or `nil` if the object is being deallocated.
    ///
    /// An info that retains the object has not released it yet. For every other info, a weak reference was formed before the info was
    /// linked, and that reference stays. So the result does not depend on whether the info is still linked.
    func subject(of info: ObservationInfo) -> AnyObject? {
        unsafe info.flags.contains(.retainsSubject) ? subjectReference.object : livingSubject
    }

    /// The object that a delivery reports as the observed object.
    ///
    /// Use this only during a delivery, because the delivery keeps the object alive.
    var subjectOfDelivery: AnyObject {
        let subject = unsafe subjectReference.object
        return isStandIn ? (subject as? any SubjectStandIn)?.object ?? subject : subject
    }

    /// Returns the object that a delivery to a registered info reports as the observed object, or `nil` if it is being deallocated.
    func livingSubjectOfDelivery(to info: ObservationInfo) -> AnyObject? {
        subject(of: info).map { isStandIn ? ($0 as? any SubjectStandIn)?.object ?? $0 : $0 }
    }

    /// The observed object, or `nil` if it is being deallocated or no weak reference to it was ever formed.
    ///
    /// Only a load of the weak reference can tell whether the object is still alive.
    var livingSubject: AnyObject? { isWeaklyReferenced.load(ordering: .acquiring) ? unsafe subject : nil }

    // MARK: Deliveries

    /// Pins the record for a delivery, and retains the observed object if its observers do not.
    ///
    /// - Returns: The pin, for ``unpin(_:)``, and the object to keep alive during the delivery. Returns `nil` if the object is being
    ///   deallocated, because the changes of such an object notify nobody.
    @inline(__always)
    func beginDelivery() -> (pin: DeliveryPins.Pin, keepAlive: AnyObject?)? {
        var keepAlive: AnyObject?
        if mayDieObserved {
            keepAlive = livingSubject
            if keepAlive == nil { return nil }
        }
        return (pins.pin(), keepAlive)
    }

    /// Calls a closure that walks the lists, while the record is pinned.
    func pinned(_ body: () -> Void) {
        let pin = pins.pin()
        body()
        unpin(pin)
    }

    @inline(__always)
    func unpin(_ pin: DeliveryPins.Pin) {
        if pins.unpin(pin) { collect() }
    }

    /// Releases the removed infos that no delivery in progress can reach.
    @inline(never)
    private func collect() { lock.withLock { unsafe limbo.collect(pins) }.release() }

    /// Takes over a list's reference to an info that has just been removed from the list.
    ///
    /// The caller must hold the lock, and must release the result after it has released the lock.
    func retire(_ info: Unretained<ObservationInfo>) -> Reclaimed {
        unsafe limbo.retire(info.erased, pins)
    }

    /// Keeps an object that was removed from the lists in memory, until no delivery in progress can reach the object.
    func retire(_ object: AnyObject) {
        if pins.areNone { return }
        let reference = Unretained(object)
        // SAFETY: `Reclaimed.release()` balances this retain.
        unsafe reference.retain()
        lock.withLock { unsafe limbo.retire(reference, pins) }.release()
    }

    /// `true` if a delivery must first check that the observed object is not being deallocated.
    var mayDieObserved: Bool { unretained.load(ordering: .acquiring) > 0 }

    /// The present serial number; each info that is linked later gets a newer one.
    var currentSerial: UInt32 { serial.load(ordering: .acquiring) }
}

/// A registrar of Swift's Observation framework, in an object that can be exchanged atomically.
final class SwiftRegistrar: Sendable {
    let registrar = ObservationRegistrar()
}
