import SafeKVO
import Testing

@Suite struct FirstTests {
    final class Subject: KeyValueObject {
        @Observed var value = 0
    }
    final class Observer {}

    @Test func aChangeIsHeard() {
        let subject = Subject()
        let observer = Observer()
        let observations = ObservationController(observer: observer)
        var heard: [Int] = []
        observations.observe(subject, \.value) { _, value in heard.append(value) }
        subject.value = 1
        #expect(heard == [0, 1])
    }
}
