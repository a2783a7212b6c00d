// error: type 'PlainSubject' does not conform to the 'Sendable' protocol
// SwiftFive: accepted
import SafeKVO

nonisolated func sharedSequenceOfAPlainSubject(_ subject: PlainSubject) {
    #if LEGAL
        _ = subject.values(of: \.number)
    #else
        _ = subject.sharedValues(of: \.number)
    #endif
}
