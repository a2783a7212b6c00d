/// The shapes of the js-reactivity-benchmark set that are measured.
///
/// Sizes are the original's, but for cellx.
public enum GraphShape: String, CaseIterable, Sendable, Codable {
    case deep
    case broad
    case diamond
    case triangle
    case mux
    case repeated
    case unstable
    case avoidable

    case cellx5 = "cellx 5"
    case cellx10 = "cellx 10"
    case cellx15 = "cellx 15"

    case update1to1 = "update 1:1"
    case update2to1 = "update 2:1"
    case update4to1 = "update 4:1"
    case update1000to1 = "update 1000:1"
    case update1to2 = "update 1:2"
    case update1to4 = "update 1:4"
    case update1to1000 = "update 1:1000"

    case createSources = "create sources"
    case create1to1 = "create 1:1"
    case create2to1 = "create 2:1"
    case create4to1 = "create 4:1"
    case create1000to1 = "create 1000:1"
    case create1to2 = "create 1:2"
    case create1to4 = "create 1:4"
    case create1to8 = "create 1:8"
    case create1to1000 = "create 1:1000"

    /// The number of sources of each handler, where it is about creating.
    var createdWidth: Int {
        switch self {
        case .create2to1: 2
        case .create4to1: 4
        case .create1000to1: 1000
        default: 1
        }
    }

    /// The number of handlers of each source.
    var readers: Int {
        switch self {
        case .update1to2, .create1to2: 2
        case .update1to4, .create1to4: 4
        case .create1to8: 8
        case .update1to1000, .create1to1000: 1000
        default: 1
        }
    }

    /// It is about creating, not about writing.
    var isCreation: Bool { rawValue.hasPrefix("create") }

    /// The number of layers of cellx.
    var layers: Int { Int(rawValue.split(separator: " ").last ?? "") ?? 0 }

    /// One run of each changed computation that is needed, and one call of each handler whose value changed.
    ///
    /// The original states the calls of `deep`, `broad`, `diamond`, `triangle`, `repeated` and `unstable`. The other numbers are reasoned.
    var expected: GraphCounts {
        switch self {
        case .deep: GraphCounts(runs: 50, calls: 1)
        case .broad: GraphCounts(runs: 100, calls: 50)
        case .diamond: GraphCounts(runs: 6, calls: 1)
        // Nine of its ten steps are part of the sum.
        case .triangle: GraphCounts(runs: 10, calls: 1)
        // The list, each element of it, and what is computed from the one that changed.
        case .mux: GraphCounts(runs: 102, calls: 1)
        case .repeated: GraphCounts(runs: 1, calls: 1)
        // The choice, and the one of two that it reads.
        case .unstable: GraphCounts(runs: 2, calls: 1)
        // The second step is always zero, so that nothing behind it is needed.
        case .avoidable: GraphCounts(runs: 2, calls: 0)
        case .cellx5, .cellx10, .cellx15: Cellx.expected(layers: layers)
        case .update1to1, .update1to2, .update1to4, .update1to1000: GraphCounts(runs: 0, calls: Double(readers))
        case .update2to1, .update4to1, .update1000to1: GraphCounts(runs: 1, calls: 1)
        case .createSources: GraphCounts(runs: 0, calls: 0)
        case .create1to1, .create1to2, .create1to4, .create1to8, .create1to1000: GraphCounts(runs: 0, calls: 1)
        case .create2to1, .create4to1, .create1000to1: GraphCounts(runs: 1, calls: 1)
        }
    }
}
