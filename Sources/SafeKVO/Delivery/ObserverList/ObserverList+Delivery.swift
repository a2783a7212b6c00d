internal import CSafeKVO
internal import Synchronization

extension ObserverList {
    /// Delivers an event to the observers of this key, in order of registration.
    ///
    /// The caller must have pinned the object's record of observations, so that removed registrations stay in memory.
    ///
    /// - Parameter limit: The newest serial number when the change began. Registrations with greater numbers are skipped, except those for
    ///   which `isLate(upTo:_:)` is `true` after the change.
    @inline(never)
    func deliver(
        _ event: EventPointer, onlyPrior: Bool, upTo limit: UInt64, hearsLate: Bool, box: (EventPointer) -> EventBox
    ) {
        withRecord { record in
            // After a change, also notify two kinds of registrations that are newer than `limit`: observers
            // whose initial call may have delivered the old value, and key paths that depend on this key.
            let present = onlyPrior ? limit : record.currentSerial
            DeliveryFrame.run(Unretained(self)) { frame in
                chain.forEach { info in
                    if info.isLinked(after: limit), present == limit || !info.isLate(upTo: present, hearsLate) { return }
                    if onlyPrior, !info.flags.contains(.priorCall), !info.isDependency { return }
                    frame.call(info)
                    ObservationBroker.shared.forward(event, to: info, box: box)
                }
            }
        }
    }

    /// Returns observers that registered during a change and may have got the old value in their initial call.
    package final func lateInfos(after limit: UInt64) -> [ObservationInfo] {
        let present = withRecord { $0.currentSerial }
        return present == limit ? [] : infos().filter { !$0.isDependency && $0.isLinked(after: limit) && $0.isLate(upTo: present, true) }
    }

    func infosOfOtherThreads(after limit: UInt64) -> [ObservationInfo] {
        let thread = UInt32(truncatingIfNeeded: safekvo_thread())
        if withRecord({ $0.currentSerial }) == limit { return [] }
        return infos().filter { !$0.isDependency && $0.isLinked(after: limit) && $0.thread != thread }
    }

    /// Delivers an event to those observers of this key for which `isMeant` returns `true`.
    ///
    /// The caller must have pinned the object's record of observations, so that removed registrations stay in memory.
    func deliver(
        _ event: EventPointer, upTo limit: UInt64, box: (EventPointer) -> EventBox, where isMeant: (ObservationInfo) -> Bool
    ) {
        withRecord { record in
            DeliveryFrame.run(Unretained(self)) { frame in
                chain.forEach { info in
                    if info.isLinked(after: limit) || !isMeant(info) { return }
                    frame.call(info)
                    ObservationBroker.shared.forward(event, to: info, box: box)
                }
            }
        }
    }

    /// Delivers an event to the observers of several keys of one object, in order of registration.
    ///
    /// The caller must have pinned the object's record of observations, so that removed registrations stay in memory.
    @inline(__always)
    static func deliver(
        _ event: EventPointer, from cursors: consuming [LinkedChain.Cursor], upTo limit: UInt64, box: (EventPointer) -> EventBox
    ) {
        while true {
            var first: Int?
            for index in cursors.indices {
                guard let info = cursors[index].info else { continue }
                if let other = first.flatMap({ cursors[$0].info }), !info.isBefore(other) { continue }
                first = index
            }
            guard let first, let info = cursors[first].info else { return }
            info.inChain { info in
                if !info.isLinked(after: limit) { ObservationBroker.shared.forward(event, to: info, box: box) }
            }
            cursors[first].advance()
        }
    }

    /// Leaves a mark to each observer if the change `number` is not the newest, so that a value that was read for it may be outdated.
    ///
    /// Must be called after that value has been read.
    @usableFromInline
    package final func markUnlessNewest(_ number: UInt64) {
        if lastChange != number { record.pinned { chain.forEach { $0.mark() } } }
    }

    /// Calls the handlers for which there is a mark.
    final func handOver() {
        record.pinned {
            chain.forEach { if InfoState($0.state.load(ordering: .relaxed)).isMarked { ObservationBroker.shared.handOver(to: $0) } }
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
struct DeliveryFrame {
    private let list: Unretained<ObserverList>
    /// The address of the frame of the enclosing delivery on this thread; zero if this delivery is not nested.
    private let outer: UInt
    /// Three numbers in one word, which a delivery writes with one instruction.
    ///
    /// - Bits 0 to 15: the number of deliveries in progress on this thread.
    /// - Bits 16 to 31: how many of these deliveries go to the same list as this one; zero if not counted yet.
    /// - Bits 32 to 63: the number that log entries give to the delivered change; zero if none is assigned yet.
    private var counts: UInt64
    private var info: Unretained<ObservationInfo>?

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

    /// A reference to the frame of a delivery, by which the delivering code stores which observer is being called.
    @safe
    struct Place: ~Copyable {
        // SAFETY: the pointer refers to a local variable of `run`. `run` only lends this noncopyable value to a closure. So the pointer is
        // not used after `run` has returned.
        private let frame: UnsafeMutablePointer<DeliveryFrame>

        @inline(__always)
        fileprivate init(_ frame: UnsafeMutablePointer<DeliveryFrame>) { unsafe self.frame = frame }

        /// Stores which registration is called next, so that nested deliveries can find out whose handler is running.
        @inline(__always)
        func call(_ info: ObservationInfo) { unsafe frame.pointee.info = Unretained(info) }
    }

    @inline(__always)
    static func run(_ list: Unretained<ObserverList>, isOfNoChange: Bool = false, _ body: (borrowing Place) -> Void) {
        let outer = safekvo_delivery()
        var frame = DeliveryFrame(list: list, outer: outer, depth: (with(outer) { $0.counts } ?? 0) & UInt64(UInt16.max) &+ 1)
        if frame.counts >= UInt64(limit) { frame.count() }
        if isOfNoChange { frame.number = ofNoChange }
        unsafe withUnsafeMutablePointer(to: &frame) { pointer in
            safekvo_set_delivery(UInt(bitPattern: pointer))
            body(unsafe Place(pointer))
            safekvo_set_delivery(outer)
        }
    }

    /// Runs a closure that calls a single observer, with the present value or with an event that had to wait.
    ///
    /// During the closure, the call counts as a delivery on this thread.
    @inline(__always)
    static func run(alone info: ObservationInfo, _ body: (borrowing Place) -> Void) {
        run(info.list, isOfNoChange: true) { frame in
            frame.call(info)
            body(frame)
        }
    }

    /// Calls a closure with the frame at an address, or returns `nil` if the address is zero.
    ///
    /// The frame must be that of a delivery in progress on this thread.
    @inline(__always)
    private static func with<Result>(_ frame: UInt, _ body: (inout DeliveryFrame) -> Result) -> Result? {
        // SAFETY: the address comes from `safekvo_delivery()` or from the field `outer`. The `run` of that frame has not returned.
        unsafe UnsafeMutablePointer<DeliveryFrame>(bitPattern: frame).map { unsafe body(&$0.pointee) }
    }

    /// Returns the number by which log entries identify the change that this thread is delivering, or `nil` if there is none.
    static func numberOfChange() -> UInt32? {
        with(safekvo_delivery()) { frame -> UInt32? in
            if frame.number == 0 { frame.number = lastNumber.wrappingAdd(1, ordering: .relaxed).newValue }
            return frame.number == ofNoChange ? nil : frame.number
        } ?? nil
    }

    /// `true` if this thread is telling a key path of a change of an atomic property on which the key path depends.
    static var isOfAtomicDependency: Bool {
        with(safekvo_delivery()) { frame in
            // SAFETY: the frame belongs to a delivery in progress, which keeps the list and the registration that it is calling in memory.
            unsafe frame.list.with { $0.isAtomic } && frame.info?.with { $0.isDependency } ?? false
        } ?? false
    }

    /// Returns `true` if an outer delivery on this thread is already calling this observer.
    static func isCalling(_ info: ObservationInfo) -> Bool {
        var next = with(safekvo_delivery()) { $0.outer } ?? 0
        while let frame = with(next, { $0 }) {
            if frame.info == Unretained(info) { return true }
            next = frame.outer
        }
        return false
    }

    /// Corrects the frame of the present delivery if the frame says that this observer is being called.
    static func endCall(of info: ObservationInfo) {
        with(safekvo_delivery()) { if $0.info == Unretained(info) { $0.info = nil } }
    }

    private init(list: Unretained<ObserverList>, outer: UInt, depth: UInt64) {
        self.list = list
        self.outer = outer
        counts = depth
    }

    @inline(never)
    private mutating func count() {
        nesting = 1
        var handler: ObservationInfo?
        var next = outer
        while let frame = Self.with(next, { $0 }) {
            // SAFETY: the frame belongs to a delivery in progress, which keeps the registration that it is calling in memory.
            if handler == nil, let info = unsafe frame.info?.object, !info.isDependency { handler = info }
            if frame.list == list {
                nesting &+= max(frame.nesting, 1)
                if frame.nesting > 0 { break }
            }
            next = frame.outer
        }
        if nesting == Self.limit { handler?.reportFeedback() }
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
