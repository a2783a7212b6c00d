import SafeKVO
import SafeKVOEvents
import SafeKVOTesting
import Testing

/// Observers of messages that were registered before more others than a number of 32 bits can count.
@Suite struct OldMessageObserverTests {
    final class Observer: Sendable {}

    let subject = Thing()
    let observer = Observer()
    let log = EventLog<String>()

    @Test("Rules 8, 47: who observes messages for a long time is heard, in order")
    func oldObserversOfMessagesAreHeard() throws {
        let center = MessageCenter()
        let early = ObservationController(observer: observer)
        let late = ObservationController(observer: observer)
        early.observe(center, for: "name") { [log] _, _ in log.append("name") }
        early.observe(center, for: nil, object: subject) { [log] _, _ in log.append("object") }
        early.observe(center, for: nil) { [log] _, _ in log.append("everything") }
        for _ in 0..<64 {
            center.countManyRegistrations()
            for _ in 0..<3 {
                late.observe(center, for: "name") { [log] _, _ in log.append("late") }
                center.post("name", object: subject)
                try log.expect(["name", "object", "everything", "late"])
                late.unobserveAll()
            }
        }
    }
}
