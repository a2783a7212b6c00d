/// The array of a proxy that belongs to no subject.
///
/// An object, so that copies of the proxy mean the same array here too.
final class DetachedArray<Element>: CollectionProperty<[Element]> {
    private(set) var elements: [Element]

    init(_ elements: [Element]) {
        self.elements = elements
    }

    override func edit<Edit: CollectionEdit<[Element]>, State, Result>(
        _ plan: ([Element]) -> (edit: Edit, state: State), _ apply: (inout [Element], inout State) -> Result
    ) -> Result {
        var (edit, state) = plan(elements)
        if edit.isRight(for: elements, afterHandlers: false) { return apply(&elements, &state) }
        // A closure has changed the array.
        var copy = elements
        let done = editCopy(&copy, plan, apply)
        swap(&elements, &copy)
        return withExtendedLifetime(done) { done.result }
    }
}
