import SafeKVO
import SafeKVOTesting
import Testing

/// Values that a batch releases, and values whose type is itself optional.
@Suite struct BatchReleaseTests {
    private final class Token {
        let end: () -> Void

        init(_ end: @escaping () -> Void = {}) { self.end = end }

        deinit { end() }
    }

    private final class Holder: KeyValueObject {
        @Observed var token: Token?
        @Observed var tokens: [Token] = []
        @Observed var anything: Any = 0
        @Observed var twice: Int?? = .some(nil)
        var named: Token? {
            get { box }
            set { withChange(of: \.named) { box = newValue } }
        }
        private var box: Token?
    }

    private final class Listener {}

    @Test("In a batch, the deinit of a replaced value may change the property again")
    func aReleasedValueChangesTheProperty() throws {
        let (holder, listener, log) = (Holder(), Listener(), EventLog<String>())
        let observations = ObservationController(observer: listener)
        observations.observe(holder, \.token, options: [.old, .new]) { _, _, change in log.append("token") }
        observations.observe(holder, \.named, initial: false) { _, _ in log.append("named") }
        observations.observe(holder, \.tokens, initial: false) { _, _ in log.append("tokens") }
        withBatchedChanges {
            holder.token = Token { [unowned holder] in holder.token = Token() }
            holder.token = Token()
            holder.token = Token()
            holder.named = Token()
            holder.named = Token()
            let tokens = holder.mutableArrayValue(for: \.tokens)
            tokens.append(Token { [unowned holder] in holder.tokens = [Token()] })
            tokens.removeLast()
            tokens.append(Token())
        }
        try log.expect(["token", "named", "tokens"])
        withExtendedLifetime(listener) {}
    }

    @Test("A value that is read anew at the end of a batch has its own type, also if that is Any or a nested optional")
    func aValueIsReadWithItsType() {
        let (holder, listener) = (Holder(), Listener())
        let observations = ObservationController(observer: listener)
        var values: [Any] = []
        var optionals: [Int??] = []
        observations.observe(holder, \.anything, initial: false) { _, value in values.append(value) }
        observations.observe(holder, \.twice, initial: false) { _, value in optionals.append(value) }
        withBatchedChanges {
            holder.anything = "a"
            let change = holder.willChange(\.anything)
            holder.anything = "b"
            change.cancel()
            holder.twice = 1
            let other = holder.willChange(\.twice)
            holder.twice = .none
            other.cancel()
        }
        #expect(values.map { type(of: $0) == String.self } == [true])
        #expect(optionals == [.none])
        #expect(optionals.first.map { $0 == nil } == true)
        withExtendedLifetime(listener) {}
    }
}
