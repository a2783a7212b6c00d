internal import CSafeKVO
internal import Synchronization

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
            // After the highest number, 1 follows.
            if frame.number == 0 { frame.number = lastNumber.wrappingAdd(1, ordering: .relaxed).oldValue % (ofNoChange - 1) + 1 }
            return frame.number == ofNoChange ? nil : frame.number
        } ?? nil
    }

    /// Returns `true` if an outer delivery on this thread is already calling this observer.
    static func isCalling(_ info: ObservationInfo) -> Bool {
        isCalling(info, from: with(safekvo_delivery()) { $0.outer } ?? 0)
    }

    /// Returns `true` if this thread is calling this observer.
    static func isRunning(_ info: ObservationInfo) -> Bool { isCalling(info, from: safekvo_delivery()) }

    private static func isCalling(_ info: ObservationInfo, from first: UInt) -> Bool {
        var next = first
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
            The handler of `\(withList { $0.qualifiedName })` that was registered at \(position) has been called \
            \(DeliveryFrame.limit) times in a row: each call made a change that called it again. If this never settles, the program hangs or \
            overflows its stack. Assign in the handler only if the new value differs from the present one.
            """)
    }
}
