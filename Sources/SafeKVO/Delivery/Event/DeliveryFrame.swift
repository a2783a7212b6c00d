internal import CSafeKVO
internal import Synchronization

/// A delivery in progress on this thread, linked to the outer delivery in which it is nested.
///
/// A handler that changes the property that it observes starts a nested delivery. If the nesting never ends, the thread
/// runs out of stack. So each frame counts the outer deliveries to the same list, and the library warns at ``limit``.
@safe
struct DeliveryFrame {
    // SAFETY: (of the pointers and references) a frame is on the stack of its thread during its delivery. The
    // delivery keeps the list and the registrations in memory.

    private let list: Unretained<ObserverList>
    private let outer: UnsafeMutablePointer<DeliveryFrame>?
    /// Three numbers in one word, so that a delivery writes them with one instruction.
    ///
    /// - Bits 0 to 15: the number of deliveries in progress on this thread. The number may wrap around.
    /// - Bits 16 to 31: the number of these deliveries that go to the same list, or zero if not counted yet.
    /// - Bits 32 to 63: the number of the change, or zero if none has been assigned.
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

    /// The number of nested deliveries to one list at which the library warns that a handler triggers itself.
    static let limit: UInt16 = 100

    /// Calls a closure with a new frame, which is the innermost frame of this thread during the call.
    @inline(__always)
    static func run(_ list: ObserverList, _ body: (UnsafeMutablePointer<DeliveryFrame>) -> Void) {
        unsafe run(Unretained(list), body)
    }

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

    /// Marks the delivery as one without a change, because it delivers the present value or an event that had to wait.
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

    /// Counts the nested deliveries to this list on this thread, and warns if there are ``limit`` of them.
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

/// A queue of events that wait for their delivery, in order of arrival.
///
/// A lock guards each queue, and no object of the program may be released under that lock. So `popFirst()` moves the
/// element out of the array.
struct WaitingEvents<Element> {
    private var elements: [Element?] = []
    private var first = 0

    var count: Int { elements.count - first }

    mutating func append(_ element: Element) {
        elements.append(element)
    }

    mutating func popFirst() -> Element? {
        guard first < elements.count else { return nil }
        let element = elements[first].take()
        first += 1
        if first == elements.count {
            elements.removeAll(keepingCapacity: first <= Self.kept)
            first = 0
        } else if first >= Self.kept, first * 2 >= elements.count {
            elements.removeFirst(first)
            first = 0
        }
        return element
    }

    private static var kept: Int { 64 }
}
