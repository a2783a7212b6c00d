/// What an operation does to members of a set.
struct SetEdit<Element: Hashable>: CollectionEdit {
    let kind: KeyValueChangeKind
    let gone: Set<Element>
    let come: Set<Element>

    init(_ kind: KeyValueChangeKind, gone: Set<Element> = [], come: Set<Element> = []) {
        self.kind = kind
        self.gone = gone
        self.come = come
    }

    var elements: ElementsChange? { ElementsChange(indexes: nil, isEmpty: gone.isEmpty && come.isEmpty) }

    func isRight(for value: Set<Element>, afterHandlers: Bool) -> Bool {
        // An operation on a set is given no closures.
        !afterHandlers || gone.isSubset(of: value) && come.subtracting(gone).isDisjoint(with: value)
    }

    func old(in whole: Set<Element>) -> Set<Element>? { kind == .insertion ? nil : gone }

    func new(in whole: Set<Element>) -> Set<Element>? { kind == .removal ? nil : come }
}
