import Foundation

/// The options of the command.
struct Arguments {
    var seconds = 1200
    var seed = UInt64.random(in: 0..<1_000_000)
    /// The number of pairs of objects that are leaked each second, on purpose.
    var leak = 0
    /// Only features whose names contain this.
    var only: String?

    static let usage = """
        usage: soak [--seconds N] [--seed N] [--leak PAIRS] [--only TEXT]
          --seconds N     how long to run, 1200 without it
          --seed N        the seed of the random numbers
          --leak PAIRS    leaks so many pairs of objects each second, which retain each other: then the run must fail
          --only TEXT     only features whose names contain the text
        """

    struct Mistake: Error {}

    init(_ words: [String]) throws(Mistake) {
        var words = words.makeIterator()
        while let word = words.next() {
            guard let text = words.next() else { throw Mistake() }
            if word == "--only" {
                only = text
                continue
            }
            guard let value = UInt64(text) else { throw Mistake() }
            switch word {
            case "--seconds": seconds = Int(clamping: value)
            case "--seed": seed = value
            case "--leak": leak = Int(clamping: value)
            default: throw Mistake()
            }
        }
        // A quarter needs several samples.
        if seconds < 12 { throw Mistake() }
    }
}
