import Synchronization
@testable import SafeKVO

extension KeyValueObservable {
    /// How many observers hang on the object, the library's own included, which follow what a path goes through.
    var observerCount: Int {
        var count = 0
        keyValueRegistrar.observers.record?.forEachList { count += $0.infos().count }
        return count
    }

    /// Lets registrations have come and gone, as many as there can be before numbers are made anew.
    func countManyRegistrations() {
        keyValueRegistrar.observers.record?.countManyRegistrations()
    }

    /// How many lists a setter may have to look at.
    var propertyListCount: Int {
        var count = 0
        keyValueRegistrar.observers.record?.properties.forEach { _ in count += 1 }
        return count
    }
}

extension ObservationRecord {
    /// Lets registrations have come and gone, as many as there can be before numbers are made anew.
    func countManyRegistrations() {
        let last = ObservationRecord.renumberingPeriod - 1
        serial.store((serial.load(ordering: .relaxed) | last) - 1, ordering: .relaxed)
    }
}

extension ObservationSource {
    /// Lets registrations have come and gone, as many as there can be before numbers are made anew.
    func countManyRegistrations() {
        eventRegistrar.observers.record?.countManyRegistrations()
    }

    /// How many observers hang on the source's own list.
    var observerCount: Int { eventRegistrar.existingList?.infos().count ?? 0 }
}
