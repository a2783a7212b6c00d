/// The options of the command.
public struct Arguments: Equatable, Sendable {
    /// Only rows whose name contains this, and the rows that they are compared with.
    public var only: String?
    /// Where to write the rows as JSON.
    public var json: String?
    /// Only say how the command is used.
    public var isHelpWanted = false

    /// How the command is used.
    public static let usage = "usage: benchmarks [--only SUBSTRING] [--json FILE]"

    /// What is wrong with the options.
    public struct Mistake: Error, Equatable {
        /// One line for a person.
        public let message: String

        /// Says what is wrong.
        public init(message: String) {
            self.message = message
        }
    }

    /// Reads options.
    public init(_ words: some Sequence<String>) throws(Mistake) {
        var words = words.makeIterator()
        while let word = words.next() {
            switch word {
            case "--only", "--json":
                guard let value = words.next(), !value.isEmpty else { throw Mistake(message: "\(word) needs a value; \(Self.usage)") }
                if word == "--only" { only = value } else { json = value }
            case "--help", "-h": isHelpWanted = true
            default: throw Mistake(message: "unknown option '\(word)'; \(Self.usage)")
            }
        }
    }
}
