import MemoryModel
import Testing

/// The transcripts name each `ordering:` of the folders that they transcribe, with the memory order that stands there.
@Suite struct SourceTests {
    private static func sites(of file: String) -> [SourceOrdering] {
        Transcripts.sites.filter { $0.file == file }.map {
            SourceOrdering(function: $0.function, operation: $0.operation, order: $0.order.rawValue)
        }
    }

    /// The orderings of a function in their order; functions of one name are one.
    private static func byFunction(_ orderings: [SourceOrdering]) -> [String: [SourceOrdering]] {
        Dictionary(grouping: orderings, by: \.function)
    }

    @Test(
        "Each `ordering:` of the sources is a site of the transcripts, with the same memory order, and the reverse",
        arguments: Transcripts.folders)
    func sitesAreTheSources(folder: String) throws {
        let found = try SourceScan.orderings(in: folder)
        #expect(!found.isEmpty)
        let known = Set(Transcripts.sites.map(\.file).filter { $0.hasPrefix(folder + "/") })
        for file in Set(found.keys).union(known).sorted() {
            let (source, transcript) = (Self.byFunction(found[file] ?? []), Self.byFunction(Self.sites(of: file)))
            for function in Set(source.keys).union(transcript.keys).sorted() {
                #expect(source[function] ?? [] == transcript[function] ?? [], "\(file), \(function)")
            }
        }
    }

    @Test("A site is transcribed or says why not, and its step is taken by a program") func sitesAreTaken() async {
        let taken = await Explorer.run { ProgramSites.all }.values.reduce(into: Set<ObjectIdentifier>()) { $0.formUnion($1) }
        for site in Transcripts.sites {
            #expect(taken.contains(ObjectIdentifier(site)) == (site.whyUntranscribed == nil), "\(site.file), \(site)")
        }
    }

    @Test("The scan finds nested calls, calls of several lines, one-line properties, and no comments") func scan() throws {
        let source = """
            struct Words {
                let count = total.wrappingAdd(1, ordering: .relaxed).newValue
                var isEmpty: Bool { head.load(ordering: .acquiring) == 0 }
                // A comment: ordering: .relaxed
                func move(_ other: Words) {
                    word.store(other.word.load(ordering: .relaxed), ordering: .releasing)
                    let (exchanged, _) = word.weakCompareExchange(
                        expected: 0, desired: max(1, 2), ordering: .acquiringAndReleasing)
                    func inner() {
                        atomicMemoryFence(ordering: .sequentiallyConsistent)
                    }
                }
            }
            """
        #expect(
            try SourceScan.orderings(in: source, of: "Words.swift") == [
                SourceOrdering(function: "count", operation: "wrappingAdd", order: "relaxed"),
                SourceOrdering(function: "isEmpty", operation: "load", order: "acquiring"),
                SourceOrdering(function: "move", operation: "load", order: "relaxed"),
                SourceOrdering(function: "move", operation: "store", order: "releasing"),
                SourceOrdering(function: "move", operation: "weakCompareExchange", order: "acquiringAndReleasing"),
                SourceOrdering(function: "inner", operation: "atomicMemoryFence", order: "sequentiallyConsistent"),
            ])
    }
}
