import Synchronization
@testable import SafeKVO
@testable import SafeKVOEvents

extension MessageCenter {
    /// How many topics are remembered.
    var topicCount: Int { topics.topicCount }
}

extension ObservationSource {
    /// Lets as many registrations have come and gone as a number of 28 bits can count.
    func countManyRegistrations() {
        eventRegistrar.observers.record?.serial.wrappingAdd(1 << 28, ordering: .relaxed)
    }

    /// How many observers hang on the source's own list.
    var observerCount: Int { eventRegistrar.existingList?.infos().count ?? 0 }
}
