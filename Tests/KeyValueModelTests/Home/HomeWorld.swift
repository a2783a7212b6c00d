import Dispatch
import SafeKVO

/// A `Sendable` model, whose value threads share.
final class HomeDownload: KeyValueObservable, Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    let progress = ObservedValue(0)
}

/// The object of the random programs: a plain property, an atomic one, a plain hop to what is shared, and keys that read several of them.
final class HomeStation: KeyValueObservable, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) two threads use `name` in turn; they wait for each other.
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var name = 0
    @AtomicObserved var level = 0
    @Observed var current: HomeDownload

    init(_ current: HomeDownload) { self.current = current }

    var title: Int {
        MainActor.assertIsolated()
        return name * 1000 + current.progress.value
    }
    var total: Int {
        MainActor.assertIsolated()
        return level * 1000 + name
    }
}

/// What a program changes.
enum HomeProperty: Hashable, CaseIterable {
    case name, level, current, progress

    var isAtomic: Bool { self == .level || self == .progress }
}

/// What a program observes, and the properties that are read for it.
enum HomeKey: Int, CaseIterable {
    case name, level, progress, title, total, own

    var properties: Set<HomeProperty> {
        switch self {
        case .name: [.name]
        case .level: [.level]
        case .progress: [.current, .progress]
        case .title: [.name, .current, .progress]
        case .total: [.level, .name]
        // The whole object: the progress belongs to another one.
        case .own: [.name, .level, .current]
        }
    }

    var isDerived: Bool { self == .progress || self == .title || self == .total }

    /// Nil for the whole object.
    var keyPath: KeyPath<HomeStation, Int>? {
        switch self {
        case .name: \.name
        case .level: \.level
        case .progress: \.current.progress.value
        case .title: \.title
        case .total: \.total
        case .own: nil
        }
    }

    /// The present value; zero for the whole object.
    @MainActor
    func value(of station: HomeStation) -> Int { keyPath.map { station[keyPath: $0] } ?? 0 }
}

/// The form in which a program observes.
enum HomeForm: CaseIterable {
    case value, withoutDuplicates, onChange, change
}

@MainActor final class HomeView {
    private(set) lazy var observations = ObservationController(observer: self)
    var calls: [HomeCall] = []
}

/// A call of a handler, and the value of the key at that time.
struct HomeCall {
    let number: Int
    let old: Int?
    let new: Int
    let present: Int
}

/// An observation of a program, and what it may and must be called for.
struct HomeObservation {
    let number: Int
    let key: HomeKey
    var form: HomeForm
    let view: Int
    var last: Int
    /// The number of changes since the last call of which it may be notified.
    var allowed = 0
    /// `true` if it must be called with the present value, at the latest when all jobs of the main actor have run.
    var isDue = false
}

/// Runs a closure on another thread, and waits for it.
func elsewhere(_ body: @escaping @Sendable () -> Void) {
    let group = DispatchGroup()
    DispatchQueue.global().async(group: group, execute: body)
    group.wait()
}
