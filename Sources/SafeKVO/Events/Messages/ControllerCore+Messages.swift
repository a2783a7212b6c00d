extension ControllerCore {
    /// Observes messages of a name, or of every name.
    @usableFromInline
    func observe(
        _ center: MessageCenter?, name: MessageName?, of object: AnyObject?, _ registration: Registration,
        make: InfoParts.Maker
    ) -> ObservationResult {
        observe(center, name.map { .name($0) } ?? .anyName, of: object, registration, make: make)
    }

    /// Observes messages of a type.
    @usableFromInline
    func observe(
        _ center: MessageCenter?, type: ObjectIdentifier, of object: AnyObject?, _ registration: Registration,
        make: InfoParts.Maker
    ) -> ObservationResult {
        observe(center, .type(type), of: object, registration, make: make)
    }
}
