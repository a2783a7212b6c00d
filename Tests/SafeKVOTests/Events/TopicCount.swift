@testable import SafeKVO
@testable import SafeKVOEvents

extension MessageCenter {
    /// How many topics are remembered.
    var topicCount: Int { topics.topicCount }
}
