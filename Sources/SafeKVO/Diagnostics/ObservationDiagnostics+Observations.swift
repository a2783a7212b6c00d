extension ObservationDiagnostics {
    /// Who observes an object: its properties and what is computed of them, itself if it is a signal, a message centre or another source,
    /// and what is polled or followed of it; also what ``ObservationController`` observes of a foreign `NSObject`.
    ///
    /// Of a message centre that is everybody who observes its messages. Who asked for messages *of an object* observes the centre, not the
    /// object. An object in its `deinit` is observed by nobody any more.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - includingDependencies: Whether the library itself is listed where it follows the object because somebody's key path goes through
    ///     it.
    /// - Returns: the observations, those of one property in the order in which they are called.
    /// - Complexity: O(*n* log *n*) for *n* observations of the object.
    public static func observations(of object: AnyObject, includingDependencies: Bool = false) -> [ObservationSnapshot] {
        // SAFETY: the caller holds the object; below, registrars keep their records.
        if unsafe Unretained(object).isBeingDestroyed { return [] }
        var known: Set<ObjectIdentifier> = []
        return infos(of: object)
            .filter { known.insert(ObjectIdentifier($0)).inserted && !$0.isOver && (includingDependencies || !$0.isDependency) }
            .sorted { $0.isBefore($1) }
            .compactMap { ObservationSnapshot($0) }
    }

    /// All infos that hang anywhere on behalf of an object; some may come twice.
    private static func infos(of object: AnyObject) -> [ObservationInfo] {
        var records: [ObservationRecord?] = [PulledRecords.shared.existingRecordInTable(of: object)]
        var kept: [ObservationInfo] = []
        if let object = object as? any KeyValueObservable { records.append(record(of: object)) }
        if let source = object as? any ObservationSource {
            records.append(record(ofSource: source))
            kept += (source as? any ListKeeper)?.keptInfos ?? []
        }
        for subject in ForeignSubject.all(for: object) {
            unsafe records.append(subject.observers.record?.object)
            kept += subject.keptInfos
        }
        return records.compactMap { $0 }.flatMap(\.infos) + kept
    }

    private static func record<Object: KeyValueObservable>(of object: Object) -> ObservationRecord? {
        unsafe object.keyValueRegistrar.record(ownedBy: object)?.object
    }

    private static func record<Source: ObservationSource>(ofSource source: Source) -> ObservationRecord? {
        unsafe source.eventRegistrar.record(ownedBy: source)?.object
    }
}
