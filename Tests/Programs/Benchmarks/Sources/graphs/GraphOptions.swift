import BenchmarkKit
import Foundation
import GraphKit

/// The options of the command.
struct GraphOptions {
    static let usage =
        "usage: graphs [--only SUBSTRING] [--rounds N] [--counts] [--check] [--prototype] [--output FOLDER] [--from FILE] [--progress] [--help]"

    /// Only shapes whose name contains this.
    var only = ""
    /// The number of samples of a row; 0 if only counts are wanted.
    var rounds = 11
    /// Fail where a value is wrong, or a count has no reason.
    var isCheck = false
    /// Also measure memoised derived keys, which are a prototype.
    var isPrototypeWanted = false
    /// The folder in which to write the figures and the picture.
    var output: URL?
    /// The figures of an earlier run, to be shown instead of measuring.
    var from: URL?
    var isProgressWanted = false
    var isHelpWanted = false

    init(_ words: some Sequence<String>) throws(Arguments.Mistake) {
        var words = words.makeIterator()
        func value(_ word: String, _ value: String?) throws(Arguments.Mistake) -> String {
            guard let value, !value.isEmpty else { throw Arguments.Mistake(message: "\(word) needs a value; \(Self.usage)") }
            return value
        }
        while let word = words.next() {
            switch word {
            case "--only": only = try value(word, words.next())
            case "--rounds":
                guard let count = Int(try value(word, words.next())), count > 0 else {
                    throw Arguments.Mistake(message: "--rounds needs a number above 0; \(Self.usage)")
                }
                rounds = count
            case "--counts": rounds = 0
            case "--check": isCheck = true
            case "--prototype": isPrototypeWanted = true
            case "--output": output = URL(fileURLWithPath: try value(word, words.next()), isDirectory: true)
            case "--from": from = URL(fileURLWithPath: try value(word, words.next()))
            case "--help", "-h": isHelpWanted = true
            case "--progress": isProgressWanted = true
            default: throw Arguments.Mistake(message: "unknown option '\(word)'; \(Self.usage)")
            }
        }
    }

    var shapes: [GraphShape] { GraphShape.allCases.filter { only.isEmpty || $0.rawValue.contains(only) } }
}
