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
