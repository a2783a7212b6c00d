extension ObservationController {
    /// Observes messages of a name, or of every name.
    @inlinable
    func observe(
        _ center: MessageCenter?, name: MessageName?, of object: AnyObject?, _ registration: Registration,
        handler: @escaping (_ observer: Observer, _ message: RawMessage) -> Void
    ) -> ObservationResult {
        core.observe(center, name: name, of: object, registration, make: { HandlerInfo(event: $0, handler) })
    }

    /// Observes messages of a type.
    @inlinable
    func observe<Observed: Message>(
        _ center: MessageCenter?, type: ObjectIdentifier, of object: AnyObject?, _ registration: Registration,
        handler: @escaping (_ observer: Observer, _ message: Observed) -> Void
    ) -> ObservationResult {
        core.observe(center, type: type, of: object, registration, make: { HandlerInfo(event: $0, handler) })
    }
}
