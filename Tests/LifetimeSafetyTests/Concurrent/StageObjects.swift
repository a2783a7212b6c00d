import Observation
import SafeKVO
import SafeKVOEvents
import TestSupport

/// A subject of one region.
final class StageModel: KeyValueObject {
    @Observed var number = 0
    @Observed var items: [Int] = []
    /// A path begins to follow this later.
    @Observed var cell: Cell?
    private var unseen = 0
    private let region: Region
    private let life: Life

    var announced: Int {
        get {
            access(\.announced)
            return unseen
        }
        set { withChange(of: \.announced) { unseen = newValue } }
    }
    /// A getter that passes a property on.
    var same: [Int] { items }
    var double: Int {
        region.use("a getter")
        return number * 2
    }
    var all: Int {
        region.use("a getter")
        return number + items.count + announced
    }
    var late: Int {
        region.use("a getter")
        return number + (cell?.mixed.value ?? 0)
    }

    init(_ region: Region, _ population: Population) {
        self.region = region
        life = Life("model", population)
        super.init()
    }

    deinit { region.use("the deinit of a model") }

    enum Key: CaseIterable {
        case number, count, announced, double, all, late
        /// Arrays, of which the number of elements counts.
        case items, same

        var keyPath: KeyPath<StageModel, Int> {
            switch self {
            case .number: \.number
            case .count, .items, .same: \.items.count
            case .announced: \.announced
            case .double: \.double
            case .all: \.all
            case .late: \.late
            }
        }
    }
}

/// An observer of one region.
final class StageView {
    private(set) lazy var observations = ObservationController(observer: self)
    private(set) lazy var notRetaining = ObservationController(observer: self, retainsObserved: false)
    var calls = 0
    private let life: Life

    init(_ population: Population) { life = Life("view", population) }
}

/// A source of one region, whose infos any thread may describe.
final class StageSource: ObservationSource {
    let eventRegistrar = EventRegistrar<Int>()
    private let world: World

    init(_ world: World) { self.world = world }

    func observationDidBegin(_ info: ObservationInfo) { world.keep(info) }
}

/// An observer of one region that is attached to a subject which threads share.
final class StageListener: SubjectObserver {
    private let region: Region
    private let life: Life

    init(_ region: Region, _ population: Population) {
        self.region = region
        life = Life("listener", population)
    }

    func update(_ subject: Bell) { region.use("update") }

    deinit { region.use("the deinit of a listener") }
}

/// An object that threads share, which Swift's Observation framework tracks.
@Observable final class Ticker: Sendable {
    @ObservationIgnored private let number = Shared(0)

    var ticks: Int {
        access(keyPath: \.ticks)
        return number.current
    }

    func tick() { withMutation(keyPath: \.ticks) { number.with { $0 += 1 } } }
}

/// An object of one region that reads one which threads share.
@Observable final class TickerModel {
    @ObservationIgnored private let ticker: Ticker
    @ObservationIgnored private let region: Region
    @ObservationIgnored private let life: Life

    var twice: Int {
        region.use("a tracked getter")
        return ticker.ticks * 2
    }

    init(_ ticker: Ticker, _ region: Region, _ population: Population) {
        (self.ticker, self.region) = (ticker, region)
        life = Life("ticker model", population)
    }

    deinit { region.use("the deinit of a tracked model") }
}
