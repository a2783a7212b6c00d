/// The place of a record in the table, given up when this goes.
final class RecordPlace: Sendable {
    let object: ObjectIdentifier

    init(_ object: ObjectIdentifier) {
        self.object = object
    }

    deinit {
        PulledRecords.shared.giveUp(object, ObjectIdentifier(self))
    }
}
