@testable import SafeKVO

extension MessageCenter {
    /// How many topics are remembered.
    var topicCount: Int { topics.topicCount }
}
