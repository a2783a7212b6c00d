internal import CSafeKVO
internal import Observation
internal import Synchronization

/// The observations of one observed object: a list of observers for each observed key.
///
/// The record is the list of the property that was observed first, if it was made for a property.
///
/// The object's registrar, a stored property, retains the record until the object is deallocated. Each registration retains the
/// record, too. If the program replaces the registrar, ``ReplacedRegistrars`` retains the record in its place.
///
/// A delivery *pins* the record, so that removed registrations stay in memory until the delivery ends.
@usableFromInline
package final class ObservationRecord: ObserverList, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `lock` guards the variables (`var`) of this class, those of ``SeldomUsed``, and the links between its
    // registrations. Only `SeldomUsed.subject` is read without the lock: it is written before other threads can find this object.
    // Everything else is atomic or constant.

    // Small properties stand first, behind those of the list, so that the record takes less memory.

    var isDead = false
    /// `true` if `subjectReference` refers to another object, which represents the observed one.
    let isStandIn: Bool
    let role: ObserverRegistrar.Role
    let lock = Lock()
    /// The size of the object of `subjectReference` in bytes.
    let subjectSize: UInt32
    private let lists = Atomic<UInt32>(0)
    /// The number of registrations that do not keep the observed object alive.
    private let unretained = Atomic<Int32>(0)
    let announcementCount = Atomic<UInt32>(0)

    let pins = EpochPins()

    /// The newest serial number in the sequence from which registrations and pauses of controllers get theirs.
    ///
    /// A change notes this number when it begins. Registrations and pauses with greater numbers came later.
    let serial = Atomic<UInt64>(firstSerial)
    /// The lists of stored properties, which are searched without a lock.
    let properties = ListChain()

    /// The list of all events, if the object is an event source.
    ///
    /// Otherwise the list of the key path `\.self` of each class of the object. It hears each announced change of the object, after the list
    /// of the changed key.
    private let entire = OnceReference<ObserverList>()

    /// What only some objects need; made when it is first needed.
    private let seldomUsed = OnceReference<SeldomUsed>()

    /// The object that stores the registrar, whose memory the record keeps, so that no other object gets the address.
    let subjectReference: Unretained<AnyObject>
    let subjectType: AnyClass

    init(
        subject: AnyObject, standingFor object: AnyObject? = nil, _ role: ObserverRegistrar.Role = .keyValue, first: PropertyKey? = nil
    ) {
        self.role = role
        subjectType = type(of: object ?? subject)
        isStandIn = object != nil
        subjectSize = UInt32(clamping: StoredPlace.size(of: subject))
        subjectReference = Unretained(subject)
        super.init(partOfRecord: first)
        if first != nil {
            countList()
            properties.link(self)
        }
        if let object { seldom.standsFor = ObjectIdentifier(object) }
        if keepsMemory {
            unsafe subjectReference.retainMemory()
        } else if !isBeingDestroyed(subject) {
            seldom.subject = subject
        }
    }

    deinit { if keepsMemory { unsafe subjectReference.releaseMemory() } }

    // MARK: What only some objects need

    final class SeldomUsed {
        fileprivate(set) var standsFor: ObjectIdentifier?
        /// The object of `subjectReference`, if the record cannot keep its memory.
        fileprivate(set) weak var subject: AnyObject?
        fileprivate var limbo = EpochLimbo()
        var keyedLists: [UInt: [ObserverList]] = [:]
        /// How many lists have been offered to other homes.
        var offers: UInt32 = 0
        var announcements: [Announcement] = []
        /// The events of each registration that wait for the end of its initial call, or of a call on another thread.
        var queues: [UInt: [EventBox]] = [:]
        /// Is empty if Swift's Observation framework does not track the object.
        let swiftRegistrar = AtomicLazyReference<SwiftRegistrar>()
    }

    /// Is `nil` if nothing was needed yet.
    var seldomIfUsed: SeldomUsed? { seldomUsed.object }

    var seldom: SeldomUsed { seldomUsed.object { SeldomUsed() } }

    /// The identity of the observed object, for which `subjectReference` may stand.
    var subjectIdentity: ObjectIdentifier {
        // SAFETY: an identifier is the address of the object.
        isStandIn ? seldom.standsFor ?? subjectReference.identity : subjectReference.identity
    }

    // MARK: Lists

    var listCount: UInt32 { lists.load(ordering: .relaxed) }

    func countList() { lists.wrappingAdd(1, ordering: .relaxed) }

    // MARK: Observers of the whole object

    /// `true` if somebody observes the whole object, or has done so; found faster than `observedEntireList`.
    @inline(__always)
    var mayBeObservedEntirely: Bool { !entire.isEmpty }

    @inline(__always)
    var wantsPriorCallsOfEntire: Bool { mayBeObservedEntirely && entire.with { $0.wantsPriorCalls } ?? false }

    /// The list of `\.self`, or `nil` while nobody observes the whole object.
    var observedEntireList: Unretained<ObserverList>? {
        entire.reference.flatMap { list in unsafe list.with { $0.isEmpty } ? nil : list }
    }

    var entireListReference: Unretained<ObserverList>? { entire.reference }

    package var entireList: ObserverList? { entire.object }

    package func entireList(orMake make: () -> ObserverList) -> ObserverList { entire.object(orMake: make) }

    @inline(__always)
    func existingList(ofProperty property: UInt) -> Unretained<ObserverList>? {
        properties.first { $0.property == property }
    }

    var infos: [ObservationInfo] {
        var infos: [ObservationInfo] = []
        forEachList { infos += $0.infos() }
        return infos
    }

    func isRecord(of object: Unretained<AnyObject>) -> Bool { subjectReference == object }

    /// `true` if the memory of the object stays allocated as long as this record: Objective-C does not keep that of its objects.
    private var keepsMemory: Bool {
        #if canImport(ObjectiveC) || SAFEKVO_FOREIGN_COUNTS
            // SAFETY: a class is its metadata, which is never freed.
            return unsafe isStandIn || safekvo_is_counted_by_swift(unsafeBitCast(subjectType, to: UnsafeRawPointer.self))
        #else
            return true
        #endif
    }

    /// `true` if the object is being deallocated, or has been.
    var isSubjectDying: Bool {
        // SAFETY: this record keeps the object's memory if `keepsMemory` is `true`.
        keepsMemory ? unsafe subjectReference.isBeingDestroyed : livingSubject == nil
    }

    // MARK: Manual notifications

    /// `true` if a manual notification of a key of the object is in progress.
    ///
    /// A relaxed load is enough, because a caller relies only on the notifications that its own thread began.
    @inline(__always)
    var hasAnnouncements: Bool { announcementCount.load(ordering: .relaxed) > 0 }

    /// The manual notifications of the object's keys that are in progress on any thread.
    var openAnnouncements: [Announcement] { hasAnnouncements ? lock.withLock { seldom.announcements } : [] }

    // MARK: Registrations (used under the lock)

    /// Gives a registration its serial number while it is being added to a list.
    ///
    /// Also counts the registration if the observed object may be deallocated before the registration ends. While such registrations exist,
    /// each delivery retains the object.
    func noteLinking(_ info: ObservationInfo) {
        if info.flags.isDisjoint(with: [.retainsSubject, .ofSameSubject]) {
            unretained.wrappingAdd(1, ordering: .relaxed)
        }
        let number = nextSerial
        serial.store(number, ordering: .releasing)
        info.order = number
        info.linkedAt.store(number, ordering: .relaxed)
    }

    /// The serial number of the next registration or pause; zero marks a registration that is in no list.
    ///
    /// The caller must hold the lock, and must store the number in `serial`.
    var nextSerial: UInt64 { serial.load(ordering: .relaxed) + 1 }

    func noteUnlinking(_ info: ObservationInfo) {
        info.linkedAt.store(0, ordering: .relaxed)
        if info.flags.isDisjoint(with: [.retainsSubject, .ofSameSubject]) { unretained.wrappingSubtract(1, ordering: .relaxed) }
    }

    // MARK: The life of the observed object

    /// The observed object itself, which keeps its stand-in alive if it has one.
    private var observed: Unretained<AnyObject> { Unretained(word: UInt(bitPattern: subjectIdentity)) ?? subjectReference }

    func retainSubject() {
        // SAFETY: the caller keeps the object alive meanwhile. `releaseSubject()` balances this retain.
        unsafe observed.retain()
    }

    func releaseSubject() {
        // SAFETY: each call balances one `retainSubject()`, as does each call of `takeSubject()`.
        unsafe observed.release()
    }

    func takeSubject() -> AnyObject { unsafe observed.takeRetained() }

    /// Returns the observed object, or `nil` if the object is being deallocated.
    ///
    /// The registration must have been added to a list, and must not have released its objects yet.
    func subject(of info: ObservationInfo) -> AnyObject? {
        unsafe info.flags.contains(.retainsSubject) ? subjectReference.object : livingSubject
    }

    /// The object that handlers get; use it only during a delivery, which keeps the object alive.
    var subjectOfDelivery: AnyObject {
        let subject = unsafe subjectReference.object
        return isStandIn ? (subject as? any SubjectStandIn)?.object ?? subject : subject
    }

    /// Returns the object that a handler would get, or `nil` if that object is being deallocated.
    func livingSubjectOfDelivery(to info: ObservationInfo) -> AnyObject? {
        subject(of: info).map { isStandIn ? ($0 as? any SubjectStandIn)?.object ?? $0 : $0 }
    }

    /// The object of `subjectReference`, or `nil` if that object is being deallocated.
    var livingSubject: AnyObject? {
        // SAFETY: this record keeps the object's memory if `keepsMemory` is `true`.
        keepsMemory ? unsafe subjectReference.living : seldomIfUsed?.subject
    }

    // MARK: Deliveries

    /// A delivery keeps this in memory: removed registrations, and the object if it might be deallocated.
    struct Kept: ~Copyable {
        let pin: EpochPins.Pin
        let object: AnyObject?
    }

    /// Keeps removed registrations in memory until `unpin(_:)`; returns `nil` if the object is being deallocated.
    @inline(__always)
    func beginDelivery() -> Kept? {
        var object: AnyObject?
        if mayDieObserved {
            object = livingSubject
            if object == nil { return nil }
        }
        return Kept(pin: pins.pin(), object: object)
    }

    /// Calls a closure that delivers an event, unless the object is being deallocated.
    ///
    /// During the call, removed registrations and the object stay in memory.
    package func duringDelivery(_ body: (borrowing EpochPins.Pin) -> Void) {
        guard let kept = beginDelivery() else { return }
        let object = kept.object
        body(kept.pin)
        unpin(kept.pin)
        withExtendedLifetime(object) {}
    }

    func pinned(_ body: (borrowing EpochPins.Pin) -> Void) {
        let pin = pins.pin()
        body(pin)
        unpin(pin)
    }

    @inline(__always)
    func unpin(_ pin: consuming EpochPins.Pin) { pins.unpin(pin) { collect() } }

    @inline(never)
    private func collect() { _ = lock.withLock { seldom.limbo.collect(pins) } }

    /// Keeps an object, for example a removed registration, while a delivery may use it.
    ///
    /// Returns the kept objects that no delivery can use any more. The caller must hold the lock, and must release the returned objects
    /// after unlocking.
    func retireLocked(_ object: consuming AnyObject) -> Reclaimed {
        EpochPins.isIdle(pins.present) ? .one(object) : seldom.limbo.retire(object, pins)
    }

    /// `true` if the object may be deallocated while it is observed.
    var mayDieObserved: Bool { unretained.load(ordering: .relaxed) > 0 }

    package var currentSerial: UInt64 { serial.load(ordering: .acquiring) }
}

final class SwiftRegistrar: Sendable {
    let registrar = ObservationRegistrar()
}
