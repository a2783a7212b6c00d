/// The options of the command.
public struct Arguments: Equatable, Sendable {
    /// Only rows whose name contains this, and the rows that they are compared with.
    public var only: String?
    /// How many samples a row has.
    public var rounds = 11
    /// Where to write the rows as JSON.
    public var json: String?
    /// The folder in which to write the rows as JSON and as a picture.
    public var output: String?
    /// The JSON of an earlier run, to be shown instead of measuring.
    public var from: String?
    /// Fail where a budget is missed that is not listed as missed.
    public var isCheck = false
    /// Show the progress also where the standard error is no terminal.
    public var isProgressWanted = false
    /// Only say how the command is used.
    public var isHelpWanted = false

    /// How the command is used, in one line.
    public static let usage =
        "usage: benchmarks [--only SUBSTRING] [--rounds N] [--check] [--json FILE] [--output FOLDER] [--from FILE] [--progress] [--help]"

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
            case "--only": only = try Self.value(of: word, words.next())
            case "--json": json = try Self.value(of: word, words.next())
            case "--output": output = try Self.value(of: word, words.next())
            case "--from": from = try Self.value(of: word, words.next())
            case "--rounds":
                guard let count = Int(try Self.value(of: word, words.next())), count > 0 else {
                    throw Mistake(message: "--rounds needs a number above 0; \(Self.usage)")
                }
                rounds = count
            case "--check": isCheck = true
            case "--progress": isProgressWanted = true
            case "--help", "-h": isHelpWanted = true
            default: throw Mistake(message: "unknown option '\(word)'; \(Self.usage)")
            }
        }
    }

    private static func value(of word: String, _ value: String?) throws(Mistake) -> String {
        guard let value, !value.isEmpty else { throw Mistake(message: "\(word) needs a value; \(usage)") }
        return value
    }
}
