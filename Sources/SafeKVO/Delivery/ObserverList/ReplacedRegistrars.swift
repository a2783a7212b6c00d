/// The records of living objects whose registrar was replaced, or was moved elsewhere and destroyed.
///
/// All users of a record rely on the observed object to keep the record, for example a delivery whose handler replaces the registrar. So
/// such a record stays in memory until the object is deallocated, or somewhat longer.
final class ReplacedRegistrars: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `lock` guards the variables. Records are released without the lock, because a release may run code of
    // the program.

    static let shared = ReplacedRegistrars()

    private let lock = Lock()
    private var records: [ObservationRecord] = []

    /// Keeps a record, and releases those of the objects that are deallocated.
    func keep(_ record: ObservationRecord) {
        let former = lock.withLock {
            defer { records = records.filter { !$0.isSubjectDying } + [record] }
            return records
        }
        withExtendedLifetime(former) {}
    }
}

extension ObservationRecord {
    /// Ends all observations of the object, because its registrar is being destroyed.
    func registrarDidDie() {
        if isSubjectDying { return subjectDidDie() }
        let position = infos.first { !$0.isDependency }?.position
        ReplacedRegistrars.shared.keep(self)
        subjectDidDie()
        if let position {
            ObservationDiagnostics.warnOnce(
                .replacedRegistrar, at: position,
                """
                The observation of a `\(subjectType)` at \(position) has ended, because `\(subjectType).\(role.property)` was replaced or moved. \
                Declare it as a constant: `\(role.declaration)`.
                """)
        }
    }
}
