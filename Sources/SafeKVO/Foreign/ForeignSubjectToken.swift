/// What is tied to the life of an object of another system: its end is the object's.
final class ForeignSubjectToken: Sendable {
    let subject: ForeignSubject

    init(_ subject: ForeignSubject) {
        self.subject = subject
    }

    deinit {
        subject.objectIsGoing()
    }
}
