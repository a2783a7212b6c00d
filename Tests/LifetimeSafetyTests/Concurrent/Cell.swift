import SafeKVO
import SafeKVOTesting
import Synchronization

/// Counts objects of a program that are alive.
final class Population: Sendable {
    private let count = Shared<[String: Int]>([:])

    func add(_ number: Int, _ name: String) { count.with { $0[name, default: 0] += number } }

    /// The names of what is alive, with numbers.
    var alive: [String: Int] { count.current.filter { $0.value != 0 } }
}

/// A part of an object that counts that object while it is alive.
final class Life: Sendable {
    private let population: Population
    private let name: String

    init(_ name: String, _ population: Population) {
        (self.name, self.population) = (name, population)
        population.add(1, name)
    }

    deinit { population.add(-1, name) }
}

/// An object on the way of a nested path.
///
/// Each has greater ranks than those before it, so that the path's value grows.
final class Part: KeyValueObservable, Sendable {
    static let ranks = 1_000_000

    let keyValueRegistrar = KeyValueRegistrar()
    let generation: Int
    let rank: ObservedValue<Int>
    private let life: Life

    init(_ generation: Int, _ population: Population) {
        self.generation = generation
        rank = ObservedValue(generation * Self.ranks)
        life = Life("part", population)
    }
}

/// A subject that all participants share.
///
/// All values but ``loose`` only grow.
final class Cell: KeyValueObservable, Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    /// Is changed outside batches and announcements only, by one at a time, so that its changes can be counted.
    let pure = ObservedValue(0)
    let mixed = ObservedValue(0)
    /// Is assigned, and may go back.
    let loose = ObservedValue(0)
    let part: ObservedValue<Part>
    private let stored = Atomic<Int>(0)
    private let life: Life

    /// How often each key has been written, in the order of `Key`; counted before the write.
    let writes = Shared<[Int]>(Array(repeating: 0, count: 4))

    var total: Int {
        access(\.total)
        return stored.load(ordering: .sequentiallyConsistent)
    }
    var twice: Int { total * 2 }
    var sum: Int { pure.value + mixed.value }
    /// Reads everything that grows.
    var everything: Int { sum + total + part.value.rank.value }

    init(_ population: Population) {
        part = ObservedValue(Part(0, population))
        life = Life("cell", population)
    }

    /// Adds one to ``total`` without an announcement.
    func addToTotal() { stored.add(1, ordering: .sequentiallyConsistent) }

    func count(_ place: Int, _ number: Int = 1) { writes.with { $0[place] += number } }

    enum Key: Int, CaseIterable {
        // Stored keys of an `ObservedValue`.
        case pure, mixed, loose
        // Keys of the cell.
        case purePath, total, twice, sum, rank, everything
        /// `\.self`, of which only ``total`` is announced.
        case whole

        var isStored: Bool { self == .pure || self == .mixed || self == .loose }
        var grows: Bool { self != .loose }
        var keyPath: KeyPath<Cell, Int> {
            switch self {
            case .pure, .purePath: \.pure.value
            case .mixed: \.mixed.value
            case .loose: \.loose.value
            case .total, .whole: \.total
            case .twice: \.twice
            case .sum: \.sum
            case .rank: \.part.value.rank.value
            case .everything: \.everything
            }
        }
    }

    func value(_ key: Key) -> ObservedValue<Int> { key == .pure ? pure : key == .mixed ? mixed : loose }

    func present(_ key: Key) -> Int { self[keyPath: key.keyPath] }

    /// The most changes of a key that there can have been.
    func mostChanges(of key: Key) -> Int {
        let (pure, mixed, rank, total) = writes.with { ($0[0], $0[1], $0[2], $0[3]) }
        return switch key {
        case .pure, .purePath: pure
        case .mixed: mixed
        case .loose: .max
        case .total, .twice, .whole: total
        case .sum: pure + mixed
        case .rank: rank
        case .everything: pure + mixed + rank + total
        }
    }
}

/// A subject with constants only, which dies wherever its last reference is dropped.
final class Job: KeyValueObservable, Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    let progress = ObservedValue(0)
    private let next: Job?
    private let life: Life

    /// Reads nothing that changes.
    var label: Int { next?.progress.value ?? 0 }
    /// Makes a value anew, which its observers fill with what is theirs.
    var fresh: Fresh { Fresh() }

    init(_ population: Population) {
        next = nil
        life = Life("job", population)
    }
}

/// A value that is not `Sendable`.
struct Fresh {
    final class Content {
        var canary: Canary?
    }

    let content = Content()
}
