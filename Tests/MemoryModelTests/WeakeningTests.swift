import Foundation
import MemoryModel
import Testing

/// The table of weakenings: what breaks if one memory order of the sources is weaker.
enum WeakeningTable {
    static let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Weakenings.md")

    static let beginning = """
        # What each memory order is for

        Each `ordering:` of `Delivery`, `Controller` and `KeyValue` was weakened by itself, and the programs explored that take its step. A relaxed access
        is weakened to a plain one, without any memory order. "States" says how many were visited up to the violation, or in all those programs.
        The times are those of the run that wrote the table.

        Written by `SAFEKVO_MEMORY_MODEL=write swift test -c release -Xswiftc -enable-testing --filter MemoryModelTests`. The tests compare all
        but the times.

        """

    /// What stands in the file, which is written anew before if `SAFEKVO_MEMORY_MODEL` is `write`.
    static let text = Task {
        if memoryModelWish == "write" {
            let lines = await Explorer.run { files.flatMap { WeakeningTable.lines(of: $0) } }
            try (beginning + lines.joined(separator: "\n") + "\n").write(to: file, atomically: true, encoding: .utf8)
        }
        return try String(contentsOf: file, encoding: .utf8)
    }

    /// The files of the sites, in the order of the table.
    static let files: [String] = Transcripts.sites.map(\.file).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }

    /// The lines of the table about a file.
    static func lines(of file: String) -> [String] {
        let sites = Transcripts.sites.filter { $0.file == file }
        var lines = ["", "## \(file)", "", "| `ordering:` | weaker | what breaks | states | ms |", "|---|---|---|---|---|"]
        var counts: [String: Int] = [:]
        for site in sites {
            counts[site.function, default: 0] += 1
            let isOnly = sites.count { $0.function == site.function } == 1
            let name = "`\(site.function)`\(isOnly ? "" : " \(counts[site.function, default: 1])"), `\(site.operation)` \(site.order)"
            if let why = site.whyUntranscribed {
                lines.append("| \(name) | | Not transcribed. \(why) | | |")
                continue
            }
            for weakening in Weakening.all(of: site, in: ProgramSites.programs(of: site)) {
                lines.append(
                    "| \(name) | \(weakening.order) | \(result(weakening)) | \(weakening.states) | \(milliseconds(weakening.time)) |")
            }
        }
        return lines
    }

    private static func result(_ weakening: Weakening) -> String {
        if let program = weakening.program, let violation = weakening.violation { return "\(violation) (\(program))" }
        let judgement = Judgement.all.first { $0.site === weakening.site }
        return "**Nothing.** \(judgement?.text ?? "")"
    }

    private static func milliseconds(_ time: Duration) -> String {
        (time / .milliseconds(1)).formatted(.number.precision(.significantDigits(2)).grouping(.never).locale(Locale(identifier: "en_US")))
    }

    /// A line without its time.
    static func comparable(_ line: String) -> String {
        line.hasPrefix("| `") ? line.split(separator: "|").dropLast(2).joined(separator: "|") : line
    }
}

@Suite struct WeakeningTests {
    @Test(
        "The table says what each weaker memory order breaks", .enabled(if: isOptimized && memoryModelWish != "write"),
        arguments: WeakeningTable.files)
    func table(file: String) async throws {
        let written = try await WeakeningTable.text.value.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let start = try #require(written.firstIndex(of: "## \(file)"), "the table has no such file")
        let rest = written[(start + 1)...]
        let end = rest.firstIndex { $0.hasPrefix("## ") } ?? rest.endIndex
        func rows(_ lines: some Sequence<String>) -> [String] { lines.filter { $0.hasPrefix("| `") }.map(WeakeningTable.comparable) }
        let lines = await Explorer.run { WeakeningTable.lines(of: file) }
        #expect(
            rows(lines.dropFirst(4)) == rows(written[start..<end].dropFirst(3)),
            "Write the table anew: SAFEKVO_MEMORY_MODEL=write")
    }

    @Test("The table has no other files") func files() async throws {
        let headings = try await WeakeningTable.text.value.split(separator: "\n").filter { $0.hasPrefix("## ") }
        #expect(headings.map { String($0.dropFirst(3)) } == WeakeningTable.files)
    }

    @Test("A weaker memory order that breaks nothing is judged, and no other") func judgements() async throws {
        let text = try await WeakeningTable.text.value
        #expect(!text.contains("**Nothing.**  |"))
        for judgement in Judgement.all {
            #expect(text.contains("**Nothing.** \(judgement.text) |"), "\(judgement.site.file), \(judgement.site)")
        }
    }

    @Test(
        "Where several sites do the same, a program breaks without all of them", .enabled(if: isOptimized),
        arguments: Judgement.all.indices.filter { !Judgement.all[$0].doubles.isEmpty })
    func doubles(index: Int) async {
        let breaks = await Explorer.run {
            let judgement = Judgement.all[index]
            let order: MemoryOrder = judgement.site.order == .acquiringAndReleasing ? .releasing : .relaxed
            let weakened = [Weakened(judgement.site, order)] + judgement.doubles
            let programs = (Transcripts.mediumPrograms + Transcripts.programs).reversed()
            return programs.contains { Exploration.explore($0, weakened).violation != nil }
        }
        #expect(breaks)
    }

    @Test(
        "The weaker memory orders that are said to be enough are enough together", .enabled(if: isOptimized),
        arguments: (Transcripts.programs + (memoryModelWish == "all" ? Transcripts.mediumPrograms + Transcripts.largePrograms : [])).map(
            \.name))
    func together(name: String) async throws {
        let finding = try #require(
            await Explorer.explore(name, of: { Transcripts.programs + Transcripts.mediumPrograms + Transcripts.largePrograms }) {
                Judgement.all.compactMap { judgement in judgement.enough.map { Weakened(judgement.site, $0) } }
            })
        #expect(finding.violation == nil, "\(finding.violation ?? "")\n\(finding.trace.joined(separator: "\n"))")
    }
}
