/// Changes and values of objects of other systems as sequences, as a module that knows a system offers them.
extension ObservationController {
    /// The changes of a key path.
    package func changes<Object: AnyObject, Value: Sendable>(
        of object: Object?, in system: any KeyValueSystem, _ path: ForeignKeyPath, keyPath: AnyKeyPath? = nil,
        options: KeyValueObservingOptions, buffering: ObservationBuffering, position: SourcePosition, initial: ((Object) -> Value)? = nil
    ) -> ObservationSequence<KeyValueChange<Value>> {
        SequenceElements.sequence(buffering: buffering) { elements, handle in
            let registration = Registration(sequence: handle, options: options, position: position, onEnd: { elements.finish() })
            return observe(object, of: system, path, keyPath: keyPath, registration, removing: nil, initial: initial) {
                (_, _: Object, change: KeyValueChange<Value>) in
                elements.yield(change)
            }
        }
    }

    /// The values of a key path: the present one, then each new one.
    package func values<Object: AnyObject, Value: Sendable>(
        of object: Object?, in system: any KeyValueSystem, _ path: ForeignKeyPath, keyPath: AnyKeyPath? = nil,
        removing: RemovingDuplicates<Value>?, buffering: ObservationBuffering, position: SourcePosition,
        initial: ((Object) -> Value)? = nil
    ) -> ObservationSequence<Value> {
        SequenceElements.sequence(buffering: buffering) { elements, handle in
            let registration = Registration(
                sequence: handle, options: [.initial, .new], position: position, onEnd: { elements.finish() }, wantsWholeValues: true)
            return observe(object, of: system, path, keyPath: keyPath, registration, removing: removing, initial: initial) {
                (_, value: Value) in
                elements.yield(value)
            }
        }
    }
}
