/// The array of a proxy that belongs to no subject.
///
/// An object, so that copies of the proxy mean the same array here too.
final class DetachedArray<Element> {
    var elements: [Element]

    init(_ elements: [Element]) {
        self.elements = elements
    }
}
