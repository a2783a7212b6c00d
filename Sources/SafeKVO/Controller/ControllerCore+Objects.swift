/// Removing by the object alone, whatever announces its changes.
extension ControllerCore {
    /// Removes all observations of an object.
    func unobserve(_ object: AnyObject?) -> Int {
        guard let object else { return unobserve(records: []) }
        let subjects = ForeignSubject.all(for: object)
        // SAFETY: the registrar of a subject keeps its record.
        let records = subjects.compactMap { unsafe $0.observers.record?.object }
        return withExtendedLifetime(subjects) { unobserve(records: records + Self.records(of: object)) }
    }

    /// The records in which an object itself, or the library for it, keeps its observers.
    private static func records(of object: AnyObject) -> [ObservationRecord] {
        func record<Object: KeyValueObservable>(_ object: Object) -> ObservationRecord? {
            unsafe object.keyValueRegistrar.record(ownedBy: object)?.object
        }
        func record<Source: ObservationSource>(ofSource source: Source) -> ObservationRecord? {
            unsafe source.eventRegistrar.record(ownedBy: source)?.object
        }
        let (observable, source) = (object as? any KeyValueObservable, object as? any ObservationSource)
        if observable == nil, source == nil { return PulledRecords.shared.existingRecordInTable(of: object).map { [$0] } ?? [] }
        return [observable.flatMap { record($0) }, source.flatMap { record(ofSource: $0) }].compactMap { $0 }
    }
}
