/// A copy of an event that keeps the subject until it is delivered.
final class KeptEventBox: EventBox {
    private let event: EventBox
    private let subject: AnyObject

    init(_ event: EventBox, _ subject: AnyObject) {
        self.event = event
        self.subject = subject
        super.init()
    }

    override func withEvent(_ body: (EventPointer) -> Void) {
        withExtendedLifetime(subject) { event.withEvent(body) }
    }
}
