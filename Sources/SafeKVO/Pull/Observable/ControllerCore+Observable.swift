extension ControllerCore {
    /// Observes a value that reads objects of Swift's `@Observable`.
    func track<Object: AnyObject, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, _ registration: consuming Registration, removing: RemovingDuplicates<Value>?,
        isolation: (any Actor)?, make: InfoParts.Maker
    ) -> ObservationResult {
        typealias Driver = Tracker<Object, Value>
        return pull(object, keyPath, registration, removing: removing, offersPriorCalls: isolation != nil, make: make) {
            (driver: Driver) in
            driver.isIsolation(of: isolation)
        } orMake: { record, list in
            Driver(record, list, keyPath, isolation: isolation.map { PullIsolation($0) })
        }
    }
}
