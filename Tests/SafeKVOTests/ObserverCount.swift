import Synchronization
@testable import SafeKVO

extension KeyValueObservable {
    /// How many observers hang on the object, the library's own included, which follow what a path goes through.
    var observerCount: Int {
        var count = 0
        keyValueRegistrar.observers.record?.object.forEachList { count += $0.object.infos().count }
        return count
    }

    /// Lets registrations have come and gone, as many as there can be before numbers are made anew.
    func countManyRegistrations() {
        guard let record = keyValueRegistrar.observers.record?.object else { return }
        let last: UInt32 = (1 << 30) - 1
        record.serial.store((record.serial.load(ordering: .relaxed) | last) - 1, ordering: .relaxed)
    }

    /// How many lists a setter may have to look at.
    var propertyListCount: Int {
        var count = 0
        keyValueRegistrar.observers.record?.object.properties.forEach { _ in count += 1 }
        return count
    }
}
