/// Something that has a place in the graph.
class Computation {
    final let vertex: Vertex

    fileprivate init(isEffect: Bool = false, _ state: VertexFields.State) {
        vertex = Vertex(VertexFields(isEffect: isEffect, state: state))
        vertex.computation = Unretained(self)
    }

    /// Runs, and returns true if those who read it have to run too.
    func run() -> Bool { false }

    deinit { vertex.end() }
}

/// A number that a computation can read.
///
/// No class here is generic: Swift calls a method of a generic class through code for all types, which is up to six times slower.
class Readable: Computation {
    var value: Int { fatalError("a subclass has it") }
}

/// A number that is written.
final class Signal: Readable {
    private var stored: Int

    init(_ value: Int) {
        stored = value
        super.init(.clean)
    }

    override var value: Int {
        get {
            vertex.wasRead(self)
            return stored
        }
        set {
            guard stored != newValue else { return }
            stored = newValue
            vertex.markReaders(.dirty)
            Reactor.shared.flush()
        }
    }
}

/// A computation that keeps its value until something that it read has changed.
private protocol Cache: Computation {
    associatedtype Value: Equatable
    var compute: () -> Value { get }
    var stored: Value? { get set }
}

extension Cache {
    fileprivate var present: Value {
        vertex.refresh()
        vertex.wasRead(self)
        guard let stored else { fatalError("it reads itself") }
        return stored
    }

    fileprivate func update() -> Bool {
        let value = compute()
        guard value != stored else { return false }
        stored = value
        return true
    }
}

/// A number that is computed when it is read, if what it read has changed.
final class Memo: Readable, Cache {
    fileprivate let compute: () -> Int
    fileprivate var stored: Int?

    init(_ compute: @escaping () -> Int) {
        self.compute = compute
        super.init(.dirty)
    }

    override var value: Int { present }

    override func run() -> Bool { update() }
}

/// The same for a list.
final class ListMemo: Computation, Cache {
    fileprivate let compute: () -> [Int]
    fileprivate var stored: [Int]?

    init(_ compute: @escaping () -> [Int]) {
        self.compute = compute
        super.init(.dirty)
    }

    var value: [Int] { present }

    override func run() -> Bool { update() }
}

/// A closure that runs again when something that it read has changed.
final class Effect: Computation {
    private let body: () -> Void

    init(_ body: @escaping () -> Void) {
        self.body = body
        super.init(isEffect: true, .dirty)
        vertex.refresh()
    }

    override func run() -> Bool {
        body()
        return false
    }
}
