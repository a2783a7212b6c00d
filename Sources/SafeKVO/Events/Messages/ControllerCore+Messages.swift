extension ControllerCore {
    /// Observes messages of a name, or of every name.
    @usableFromInline
    func observe(
        _ center: MessageCenter?, name: MessageName?, of object: AnyObject?, _ registration: Registration, context: HandlerContext,
        invoke: @escaping ObservationInfo.Invoke
    ) -> ObservationResult {
        observe(center, name.map { .name($0) } ?? .anyName, of: object, registration, context: context, invoke: invoke)
    }

    /// Observes messages of a type.
    @usableFromInline
    func observe(
        _ center: MessageCenter?, type: ObjectIdentifier, of object: AnyObject?, _ registration: Registration, context: HandlerContext,
        invoke: @escaping ObservationInfo.Invoke
    ) -> ObservationResult {
        observe(center, .type(type), of: object, registration, context: context, invoke: invoke)
    }
}
