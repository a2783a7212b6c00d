internal import CSafeKVO
internal import Synchronization

/// A delivery that is under way on this thread, linked to the one around it.
///
/// A handler that changes what it observes makes a delivery inside the one that called it. The frames count how often that has happened, so
/// that changes which do not settle are reported while there is still room on the stack.
@safe
struct DeliveryFrame {
    // SAFETY: (of the pointers and references) a frame lies on the stack of its thread as long as the delivery lasts, which pins the record
    // and with it the list and the infos.

    private let list: Unretained<ObserverList>
    private let outer: UnsafeMutablePointer<DeliveryFrame>?
    /// Three numbers in one word, which a delivery writes with one instruction.
    ///
    /// From the lowest bit: the number of deliveries that are under way on this thread (16 bits, which may begin at zero again), how many of them
    /// are of the list (16 bits; zero if nobody has counted), and the number of the change (32 bits; zero if nobody has asked for it).
    private var counts: UInt64
    /// Who is being called.
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

    /// How many nested deliveries are reported.
    static let limit: UInt16 = 100

    /// Delivers to a list.
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

    /// Says that what is delivered to one observer alone is no change of its own: its present value, or what was left to this thread.
    mutating func isOfNoChange() { number = Self.ofNoChange }

    /// A number for the change that this thread is telling its observers, the same for all of them; nil if it tells none.
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

    /// `true` if this thread is calling the observer already, in a delivery around the innermost one.
    static func isCalling(_ info: ObservationInfo) -> Bool {
        var next = unsafe innermost?.pointee.outer
        while let frame = unsafe next?.pointee {
            if frame.info == Unretained(info) { return true }
            unsafe next = frame.outer
        }
        return false
    }

    /// Notes that the call of the innermost delivery is over, or is not made.
    static func endCall() { unsafe innermost?.pointee.info = nil }

    private init(list: Unretained<ObserverList>, outer: UnsafeMutablePointer<DeliveryFrame>?, depth: UInt64) {
        self.list = list
        unsafe self.outer = outer
        counts = depth
    }

    /// Counts the deliveries of the list that are under way, and reports who made the change if there are too many.
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
    /// Reports that what the handler changes calls it again and again.
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

/// What waits to be told, in order of arrival.
///
/// It is kept under a lock, where nothing of the program's may be released: what is taken out is not kept here any longer.
struct WaitingEvents<Element> {
    private var elements: [Element?] = []
    private var first = 0

    var count: Int { elements.count - first }

    mutating func append(_ element: Element) {
        elements.append(element)
    }

    /// Takes out what has waited longest.
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
