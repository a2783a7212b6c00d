/// What it means to observe a key path: find the list for it, hang the info in, make the initial call.
extension ControllerCore {
    @usableFromInline
    func observe<Object: KeyValueObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, _ registration: Registration, removing: RemovingDuplicates<Value>?,
        context: HandlerContext, invoke: @escaping ObservationInfo.Invoke
    ) -> ObservationResult {
        guard let object else { return .refused(.noObject) }
        if let refusal = refusal(of: object) { return .refused(refusal) }
        let resolution = KeyPathResolution(of: object, keyPath)
        defer { resolution.finish() }
        var registration = registration
        var handler = (context: context, invoke: invoke)
        if let removing {
            registration.flags.insert(.comparesValues)
            let filter = DuplicateFilter(removing, context: context, invoke: invoke)
            handler = (filter, DuplicateFilter<Value>.invoke)
        }
        return register(registration, list: resolution.list, context: handler.context, invoke: handler.invoke) { info in
            let value = resolution.currentValue(of: object, keyPath)
            var event = KeyValueEvent(subject: object, phase: .initial, new: value, old: nil)
            event.deliver(toStarting: info)
        }
    }

    /// Removes the observation of a key path.
    @usableFromInline
    func unobserve<Object: KeyValueObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, tag: ObservationTag?
    ) -> Int {
        unobserve(list: object.flatMap { KeyPathResolution.existingList(of: $0, keyPath) }, tag: tag)
    }
}
