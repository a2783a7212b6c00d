import KeyValueModel

/// A short program and what its observers hear, written by hand from the rules.
struct ModelTrace: Sendable, CustomStringConvertible {
    /// The rule and its promise.
    let promise: String
    let program: [Step]
    let history: [String]

    init(_ promise: String, _ program: [Step], _ history: [String]) {
        self.promise = promise
        self.program = program
        self.history = history
    }

    var description: String { promise }
}
