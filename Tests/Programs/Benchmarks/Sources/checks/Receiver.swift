import Foundation

/// Writes down what it hears.
final class Receiver: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) everything happens on one thread at a time.
    var heard: [String] = []

    /// Says whether what was heard is what should have been.
    func verdict(_ expected: [String]) -> String {
        heard == expected ? "right" : "WRONG: heard \(heard.isEmpty ? "nothing" : heard.joined(separator: " "))"
    }
}

/// An object that notifications are about.
final class Thing: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) it has no state.
}
