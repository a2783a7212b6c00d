import Synchronization
@testable import SafeKVO

extension KeyValueObservable {
    /// Lets as many registrations have come and gone as a number of 28 bits can count.
    func countManyRegistrations() {
        keyValueRegistrar.observers.record?.serial.wrappingAdd(1 << 28, ordering: .relaxed)
    }
}
