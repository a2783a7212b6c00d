import Foundation

/// An `ordering:` as it stands in a source.
struct SourceOrdering: Equatable, CustomStringConvertible {
    let function: String
    let operation: String
    let order: String

    var description: String { "\(function): \(operation) \(order)" }
}

/// Reads the `ordering:` of the library's sources, so that transcripts cannot drift from them.
enum SourceScan {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources/SafeKVO").standardized

    /// The files of a folder that have an `ordering:`, each with what stands in it, in order.
    static func orderings(in folder: String) throws -> [String: [SourceOrdering]] {
        let files = FileManager.default.enumerator(at: root.appending(path: folder), includingPropertiesForKeys: nil)
        var found: [String: [SourceOrdering]] = [:]
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            let orderings = try orderings(in: String(contentsOf: file, encoding: .utf8), of: file.lastPathComponent)
            if orderings.isEmpty { continue }
            found[String(file.standardized.path().dropFirst(root.path().count + 1))] = orderings
        }
        return found
    }

    /// What stands in a source.
    static func orderings(in text: String, of file: String) throws -> [SourceOrdering] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        var orderings: [SourceOrdering] = []
        for (number, line) in lines.enumerated() {
            if line.drop(while: { $0 == " " }).hasPrefix("//") { continue }
            for match in line.matches(of: /ordering: *\.(\w+)/) {
                let before = lines[0..<number].suffix(12).joined(separator: "\n") + "\n" + line[..<match.range.lowerBound]
                guard let operation = operation(before), let function = function(lines, number) else {
                    throw Unreadable(file: file, line: number + 1)
                }
                orderings.append(SourceOrdering(function: function, operation: operation, order: String(match.1)))
            }
        }
        return orderings
    }

    struct Unreadable: Error {
        let file: String
        let line: Int
    }

    /// The name before the parenthesis that is open at the end of a text.
    private static func operation(_ text: String) -> String? {
        var depth = 0
        var index = text.endIndex
        while index > text.startIndex {
            index = text.index(before: index)
            if text[index] == ")" { depth += 1 }
            if text[index] != "(" { continue }
            if depth == 0 { return text[..<index].firstMatch(of: /(\w+)$/).map { String($0.1) } }
            depth -= 1
        }
        return nil
    }

    /// The function or property that a line belongs to: the last that is declared there or above, less far from the margin.
    private static func function(_ lines: [String], _ number: Int) -> String? {
        func margin(_ line: String) -> Int { line.prefix { $0 == " " }.count }
        var above = number
        while above >= 0 {
            let line = lines[above]
            if above == number || margin(line) < margin(lines[number]), let name = declared(in: line) { return name }
            above -= 1
        }
        return nil
    }

    private static func declared(in line: String) -> String? {
        if let match = line.firstMatch(of: #/\bfunc +(\w+)/#) { return String(match.1) }
        if line.contains(#/^ *(?:@?\w+ +)*init\b[?(<]/#) { return "init" }
        if line.contains(#/^ *deinit\b/#) { return "deinit" }
        if let match = line.firstMatch(of: #/\bvar +(\w+) *:[^=]*?\{/#) { return String(match.1) }
        // A stored property that is made on the spot.
        if let match = line.firstMatch(of: #/^ {4}(?:\w+ +)*let +(\w+) =\ /#) { return String(match.1) }
        return nil
    }
}
