import SafeKVO
import SafeKVOEvents
import SafeKVOTesting
import Testing

/// The examples of the article on receiving values, of tokens.
@Suite struct ReceivingTokensTests {
    // snippet: token
    final class Timer: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var seconds = 0
    }

    final class Alarm {
        var lines: [String] = []
        private var token: ObservationToken?

        func follow(_ timer: Timer) {
            token = timer.observation(of: \.seconds) { [weak self] _, seconds in
                self?.lines.append("\(seconds)")
            }
        }

        func stop() { token = nil }
    }
    // end snippet

    @Test("Tokens: the value, until the token is released")
    func aTokenTellsChanges() {
        let (timer, alarm) = (Timer(), Alarm())
        // snippet: token-use
        alarm.follow(timer)
        timer.seconds = 1
        alarm.stop()
        timer.seconds = 2  // no call
        print(alarm.lines)  // prints ["0", "1"]
        // end snippet
        #expect(alarm.lines == ["0", "1"])
    }

    @Test("Tokens: each form")
    func everyForm() async {
        let (timer, finished, center) = (Timer(), Signal<Int>(), MessageCenter())
        let lines = EventLog<String>()
        // snippet: token-forms
        let tokens = [
            // The change, with what the options name:
            timer.observation(of: \.seconds, options: [.old, .new]) { timer, change in
                lines.append("\(change.oldValue ?? 0) became \(change.newValue ?? 0)")
            },
            // A signal, or any other source:
            finished.observation { number in lines.append("finished \(number)") },
            center.observation(for: "saved") { message in lines.append("saved") },
        ]
        // end snippet
        let values = timer.values(of: \.seconds)
        timer.seconds = 1
        finished.send(7)
        center.post("saved")
        for token in tokens { token.cancel() }
        timer.seconds = 2
        #expect(lines.events == ["0 became 1", "finished 7", "saved"])
        var iterator = values.makeAsyncIterator()
        #expect([await iterator.next(), await iterator.next(), await iterator.next()] == [0, 1, 2])
    }

    @Test("Tokens: an object may keep a token of itself")
    func anObjectMayKeepATokenOfItself() {
        weak var gone: Counter?
        do {
            let counter = Counter()
            counter.count = 1
            #expect(counter.highest == 1)
            gone = counter
        }
        #expect(gone == nil)
    }

    // snippet: token-self
    final class Counter: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var count = 0
        private(set) var highest = 0
        private var token: ObservationToken?

        init() {
            token = observation(of: \.count) { counter, count in
                counter.highest = max(counter.highest, count)
            }
        }
    }
    // end snippet
}
