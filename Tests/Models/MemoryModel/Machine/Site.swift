/// A memory order, as the sources name it.
package enum MemoryOrder: String, Sendable, CaseIterable {
    /// No atomic access at all: what two threads do at once to such a place is a data race.
    ///
    /// The sources have none; a relaxed access is weakened to it.
    case plain
    case relaxed
    case acquiring
    case releasing
    case acquiringAndReleasing
    case sequentiallyConsistent

    var acquires: Bool { self == .acquiring || self == .acquiringAndReleasing || self == .sequentiallyConsistent }
    var releases: Bool { self == .releasing || self == .acquiringAndReleasing || self == .sequentiallyConsistent }

    /// The orders that are one step weaker.
    package var weaker: [MemoryOrder] {
        switch self {
        case .plain: []
        case .relaxed: [.plain]
        case .acquiring, .releasing: [.relaxed]
        case .acquiringAndReleasing: [.acquiring, .releasing]
        case .sequentiallyConsistent: [.acquiringAndReleasing]
        }
    }
}

/// One `ordering:` of the sources.
///
/// Transcriptions name the site of each step, and take the memory order from it. So a test can compare the sites with the source, and weaken them
/// one after the other.
package final class Site: Sendable, CustomStringConvertible {
    /// The file, below `Sources/SafeKVO`.
    package let file: String
    /// The function or property in which it stands.
    package let function: String
    /// The atomic operation: `load`, `store`, `wrappingAdd` and so on.
    package let operation: String
    package let order: MemoryOrder
    /// The reason why no transcription has a step for it.
    package let whyUntranscribed: String?

    package init(_ file: String, _ function: String, _ operation: String, _ order: MemoryOrder, untranscribed why: String? = nil) {
        self.file = file
        self.function = function
        self.operation = operation
        self.order = order
        whyUntranscribed = why
    }

    package var description: String { file.isEmpty ? "\(operation) \(order)" : "\(function): \(operation) \(order)" }
}

/// A site that is explored with another memory order than its own.
package struct Weakened: Sendable {
    package let site: Site
    package let order: MemoryOrder

    package init(_ site: Site, _ order: MemoryOrder) {
        self.site = site
        self.order = order
    }
}
