/// Collections of which one observer, who may be gone, is told each edit.
final class LimitList {
    weak var observer: LimitObserver?
    var didChange: ((LimitObserver, Int) -> Void)?
    private var items: [Int]
    private var members: Set<Int>

    init(count: Int) {
        items = Array(0..<count)
        members = Set(items)
    }

    @inline(never)
    func append(_ item: Int) {
        items.append(item)
        tell(item)
    }

    @inline(never)
    func removeLast() {
        tell(items.removeLast())
    }

    @inline(never)
    func replace(at index: Int, with item: Int) {
        items[index] = item
        tell(item)
    }

    @inline(never)
    func insert(_ member: Int) {
        if members.insert(member).inserted { tell(member) }
    }

    @inline(never)
    func remove(_ member: Int) {
        if let removed = members.remove(member) { tell(removed) }
    }

    private func tell(_ item: Int) {
        if let observer { didChange?(observer, item) }
    }
}
