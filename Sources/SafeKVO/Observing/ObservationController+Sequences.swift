/// Changes and values as asynchronous sequences.
extension ObservationController {
    /// The changes of a key path, as a sequence.
    ///
    /// ```swift
    /// for await change in observations.changes(of: clock, \.hour, options: [.old, .new]) { … }
    /// ```
    ///
    /// It observes from this call on, whether or not anybody takes the changes yet. See ``ObservationSequence`` for its end.
    ///
    /// - Parameters:
    ///   - object: What to observe. The changes of `nil` are none.
    ///   - keyPath: Which of its values.
    ///   - options: What to be told, and when.
    ///   - buffering: What becomes of changes that nobody takes in time. None is lost if it is not given.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    /// - Returns: the sequence.
    public func changes<Object: KeyPathObservable, Value: Sendable>(
        of object: Object?, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions = .new,
        buffering: ObservationBuffering = .unbounded, fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationSequence<KeyValueChange<Value>> {
        SequenceElements.sequence(buffering: buffering) { elements, handle in
            let registration = Registration(
                sequence: handle, options: options, position: SourcePosition(fileID: fileID, line: line),
                onTermination: { elements.finish() })
            return observe(object, keyPath, _ObservationRequest(core, registration)) { _, _, change in elements.yield(change) }
        }
    }

    /// The values of a key path, as a sequence: the present one, then each new one.
    ///
    /// ```swift
    /// for await hour in observations.values(of: clock, \.hour) { … }
    /// ```
    ///
    /// It observes from this call on, whether or not anybody takes the values yet. See ``ObservationSequence`` for its end.
    ///
    /// - Parameters:
    ///   - object: What to observe. The values of `nil` are none.
    ///   - keyPath: Which of its values.
    ///   - removing: `.duplicates` leaves out values that equal the one before.
    ///   - buffering: What becomes of values that nobody takes in time. None is lost if it is not given.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    /// - Returns: the sequence.
    public func values<Object: KeyPathObservable, Value: Sendable>(
        of object: Object?, _ keyPath: KeyPath<Object, Value>, removing: RemovingDuplicates<Value>? = nil,
        buffering: ObservationBuffering = .unbounded, fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationSequence<Value> {
        SequenceElements.sequence(buffering: buffering) { elements, handle in
            let registration = Registration(
                sequence: handle, options: [.initial, .new], position: SourcePosition(fileID: fileID, line: line),
                onTermination: { elements.finish() }, wantsWholeValues: true)
            return observe(object, keyPath, _ObservationRequest(core, registration.leavingOut(removing))) { _, value in
                elements.yield(value)
            }
        }
    }

    /// The events of a source, as a sequence.
    ///
    /// It observes from this call on, whether or not anybody takes the events yet. See ``ObservationSequence`` for its end.
    ///
    /// - Parameters:
    ///   - source: What to observe. The events of `nil` are none.
    ///   - topic: Which events; nil for all of them.
    ///   - object: The object that the events must be about; nil for any and none. It is not retained.
    ///   - buffering: What becomes of events that nobody takes in time. None is lost if it is not given.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    /// - Returns: the sequence.
    public func events<Source: ObservationSource>(
        of source: Source?, for topic: Source.Topic = nil, object: Source.Sender = nil, buffering: ObservationBuffering = .unbounded,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationSequence<Source.Event> where Source.Event: Sendable {
        SequenceElements.sequence(buffering: buffering) { elements, handle in
            let registration = Registration(
                sequence: handle, options: [], position: SourcePosition(fileID: fileID, line: line), onTermination: { elements.finish() })
            return core.observe(
                source, topic, object, registration,
                make: { HandlerInfo<Observer, Source.Event>(event: $0) { _, event in elements.yield(event) } })
        }
    }
}
