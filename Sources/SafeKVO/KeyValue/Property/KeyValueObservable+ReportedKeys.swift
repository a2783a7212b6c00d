internal import CSafeKVO

/// Functions for keys whose changes another system reports, and which are observed like properties.
extension KeyValueObservable {
    /// Returns the observer list of a key, made if missing.
    ///
    /// The number of the key is no offset of a property of the object: its highest bit is set.
    package func list<Value>(
        ofKey number: UInt, _ keyPath: KeyPath<Self, Value>, hook: (Unretained<ObserverList>) -> any ObserverListHook
    ) -> ObserverList {
        let record = keyValueRegistrar.record(of: self)
        return record.properties.list(
            where: { $0.property == number },
            orMake: { ObserverList(record: record, property: number, events: Value.self, keyPath: keyPath, hook: hook) })
    }

    /// Reads a key, and reports the read to an observed key path that is being evaluated.
    package func read<Value>(
        key number: UInt, _ keyPath: ReferenceWritableKeyPath<Self, Value>, _ body: () -> Value
    ) -> Value {
        if safekvo_is_recording(), PropertyAccess.unexpectedRead(self, keyValueRegistrar, number) != nil {
            PropertyAccess.recordRead(self, property: number, keyPath: { keyPath })
        }
        let value = Recording.suspended(body)
        if safekvo_is_recording() { PropertyAccess.didRead(value) }
        return value
    }
}
