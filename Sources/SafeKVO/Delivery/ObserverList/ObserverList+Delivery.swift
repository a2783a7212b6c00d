internal import CSafeKVO
internal import Synchronization

extension ObserverList {
    // SAFETY: (of the references in this extension) the caller has pinned the object's record, which then keeps its lists and removed
    // registrations in memory.

    /// Delivers an event to the observers of this key, in order of registration.
    ///
    /// The caller must have pinned the object's record of observations.
    ///
    /// - Parameter limit: The newest serial number when the change began.
    @inline(never)
    func deliver(
        _ event: EventPointer, onlyPrior: Bool, upTo limit: UInt32, hearsLate: Bool, box: (EventPointer) -> EventBox
    ) {
        withRecord { record in
            // After a change, also notify two kinds of registrations that are newer than `limit`: observers
            // whose initial call may have delivered the old value, and key paths that depend on this key.
            let present = onlyPrior ? limit : record.currentSerial
            unsafe DeliveryFrame.run(Unretained(self)) { frame in
                chain.forEach { info in
                    if info.isLinked(after: limit), present == limit || !info.isLate(upTo: present, hearsLate) { return }
                    if onlyPrior, !info.flags.contains(.priorCall), !info.isDependency { return }
                    unsafe frame.pointee.info = Unretained(info)
                    ObservationBroker.shared.forward(event, to: info, box: box)
                }
            }
        }
    }

    /// Returns observers that registered during a change and may have got the old value in their initial call.
    package final func lateInfos(after limit: UInt32) -> [ObservationInfo] {
        let present = withRecord { $0.currentSerial }
        return present == limit ? [] : infos().filter { !$0.isDependency && $0.isLinked(after: limit) && $0.isLate(upTo: present, true) }
    }

    func infosOfOtherThreads(after limit: UInt32) -> [ObservationInfo] {
        let thread = UInt32(truncatingIfNeeded: safekvo_thread())
        if withRecord({ $0.currentSerial }) == limit { return [] }
        return infos().filter { !$0.isDependency && $0.isLinked(after: limit) && $0.thread != thread }
    }

    /// Delivers an event to those observers of this key for which `isMeant` returns `true`.
    ///
    /// The caller must have pinned the object's record of observations.
    func deliver(
        _ event: EventPointer, upTo limit: UInt32, box: (EventPointer) -> EventBox, where isMeant: (ObservationInfo) -> Bool
    ) {
        withRecord { record in
            unsafe DeliveryFrame.run(Unretained(self)) { frame in
                chain.forEach { info in
                    if info.isLinked(after: limit) || !isMeant(info) { return }
                    unsafe frame.pointee.info = Unretained(info)
                    ObservationBroker.shared.forward(event, to: info, box: box)
                }
            }
        }
    }

    /// Delivers an event to the observers of several keys of one object, in order of registration.
    ///
    /// The caller must have pinned the object's record of observations.
    @inline(__always)
    static func deliver(
        _ event: EventPointer, to lists: [Unretained<ObserverList>], upTo limit: UInt32, box: (EventPointer) -> EventBox,
        where isMeant: (_ list: Int, ObservationInfo) -> Bool = { _, _ in true }
    ) {
        var cursors = lists.map { list in unsafe list.with { list in list.chain.cursor() } }
        while true {
            var first: Int?
            for index in cursors.indices {
                guard let info = cursors[index].info else { continue }
                if let other = first.flatMap({ cursors[$0].info }), unsafe !info.with({ info in unsafe other.with { info.isBefore($0) } }) {
                    continue
                }
                first = index
            }
            guard let first, let info = cursors[first].info else { return }
            unsafe info.with { info in
                if !info.isLinked(after: limit), isMeant(first, info) { ObservationBroker.shared.forward(event, to: info, box: box) }
            }
            cursors[first].advance()
        }
    }

    /// Must be called after the value for the change `number` has been read.
    ///
    /// If another thread has made a newer change by then, the next delivery reads the present value.
    @usableFromInline
    package final func noteRead(after number: UInt64) {
        if lastChange != number { readAgain() }
    }

    /// Makes the next delivery to each observer read the present value, because the value in an event may be outdated.
    ///
    /// This has no effect on handlers that take a change, with its old and new value.
    @inline(never)
    final func readAgain() {
        record.pinned {
            chain.forEach { $0.readAgain() }
        }
    }

    package final var isEmpty: Bool { chain.isEmpty }

    package final func firstInfo(where matches: (ObservationInfo) -> Bool) -> ObservationInfo? {
        var first: ObservationInfo?
        record.pinned { chain.forEach { if first == nil, matches($0) { first = $0 } } }
        return first
    }

    /// `true` if the program itself, and not only the library, has registered observers in this list.
    final var hasObservers: Bool {
        var hasObservers = false
        withRecord { record in chain.forEach { if !$0.isDependency { hasObservers = true } } }
        return hasObservers
    }

    package final func infos() -> [ObservationInfo] {
        var all: [ObservationInfo] = []
        record.pinned { chain.forEach { all.append($0) } }
        return all
    }
}

/// A delivery in progress on this thread, linked to the outer delivery in which it is nested.
///
/// A handler that changes the property that it observes starts a nested delivery. Endless nesting overflows the stack. So each frame
/// counts the nested deliveries to its list, and the library warns at ``limit``.
@safe
struct DeliveryFrame {
    // SAFETY: (of the pointers and references) a frame is on the stack of its thread during its delivery. The
    // delivery keeps the list and the registrations in memory.

    private let list: Unretained<ObserverList>
    private let outer: UnsafeMutablePointer<DeliveryFrame>?
    /// Three numbers in one word, which a delivery writes with one instruction.
    ///
    /// - Bits 0 to 15: the number of deliveries in progress on this thread.
    /// - Bits 16 to 31: how many of them go to the same list; zero if not counted yet.
    /// - Bits 32 to 63: the number of the change; zero if none is assigned.
    private var counts: UInt64
    var info: Unretained<ObservationInfo>?

    private static let ofNoChange = UInt32.max
    private static let lastNumber = Atomic<UInt32>(0)

    private var nesting: UInt16 {
        get { UInt16(truncatingIfNeeded: counts >> 16) }
        set { counts = counts & ~(UInt64(UInt16.max) << 16) | UInt64(newValue) << 16 }
    }

    private var number: UInt32 {
        get { UInt32(truncatingIfNeeded: counts >> 32) }
        set { counts = counts & UInt64(UInt32.max) | UInt64(newValue) << 32 }
    }

    static let limit: UInt16 = 100

    @inline(__always)
    static func run(_ list: Unretained<ObserverList>, _ body: (UnsafeMutablePointer<DeliveryFrame>) -> Void) {
        let outer = unsafe safekvo_delivery()?.assumingMemoryBound(to: DeliveryFrame.self)
        var frame = unsafe DeliveryFrame(list: list, outer: outer, depth: (outer?.pointee.counts ?? 0) & UInt64(UInt16.max) &+ 1)
        if frame.counts >= UInt64(limit) { frame.count() }
        unsafe withUnsafeMutablePointer(to: &frame) { pointer in
            unsafe safekvo_set_delivery(pointer)
            unsafe body(pointer)
            unsafe safekvo_set_delivery(outer)
        }
    }

    /// Makes `numberOfChange()` return `nil` during this delivery, for example because another thread stored the event.
    mutating func isOfNoChange() { number = Self.ofNoChange }

    /// Returns the number of the change that this thread is delivering, or `nil` if there is none.
    static func numberOfChange() -> UInt32? {
        guard let frame = unsafe innermost, unsafe frame.pointee.number != ofNoChange else { return nil }
        if unsafe frame.pointee.number == 0 {
            unsafe frame.pointee.number = lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
        }
        return unsafe frame.pointee.number
    }

    private static var innermost: UnsafeMutablePointer<DeliveryFrame>? {
        unsafe safekvo_delivery()?.assumingMemoryBound(to: DeliveryFrame.self)
    }

    /// Returns `true` if an outer delivery on this thread is already calling this observer.
    static func isCalling(_ info: ObservationInfo) -> Bool {
        var next = unsafe innermost?.pointee.outer
        while let frame = unsafe next?.pointee {
            if frame.info == Unretained(info) { return true }
            unsafe next = frame.outer
        }
        return false
    }

    static func endCall() { unsafe innermost?.pointee.info = nil }

    private init(list: Unretained<ObserverList>, outer: UnsafeMutablePointer<DeliveryFrame>?, depth: UInt64) {
        self.list = list
        unsafe self.outer = outer
        counts = depth
    }

    @inline(never)
    private mutating func count() {
        nesting = 1
        var handler: Unretained<ObservationInfo>?
        var next = unsafe outer
        while let frame = unsafe next?.pointee {
            if handler == nil, let info = frame.info, unsafe !info.with({ $0.isDependency }) { handler = info }
            if frame.list == list {
                nesting &+= max(frame.nesting, 1)
                if frame.nesting > 0 { break }
            }
            unsafe next = frame.outer
        }
        if nesting == Self.limit, let handler { unsafe handler.with { $0.reportFeedback() } }
    }
}

extension ObservationInfo {
    final func reportFeedback() {
        ObservationDiagnostics.warnOnce(
            .feedback, at: position,
            """
            The handler of \(ifKept { withList { "`\($0.qualifiedName)`" } } ?? "a property") that was registered at \(position) has been called \
            \(DeliveryFrame.limit) times in a row: each call made a change that called it again. If this never settles, the program hangs or \
            overflows its stack. Assign in the handler only if the new value differs from the present one.
            """)
    }
}
