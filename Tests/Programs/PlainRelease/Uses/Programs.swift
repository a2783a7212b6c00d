/// Runs the programs that are named, or lists them.
@main @MainActor enum Programs {
    static let all: [(name: String, run: @MainActor () -> Void)] = [
        ("atomic", atomic), ("batch", batch), ("collection", collection), ("computed", computed), ("declared", declared), ("event", event),
        ("extra-call-other-key", otherKey), ("generic", generic), ("inherited", inherited), ("let-hop", letHop),
        ("lost-in-release", lost), ("lost-in-release-reported", lostReported), ("manual", manual), ("manual-direct", manualDirect),
        ("nested", nested), ("optional-chain", optionalChain), ("overridden", overridden), ("overridden-collection", overriddenCollection),
        ("passing", passing), ("self", entireObject), ("stale-in-release", stale), ("stale-in-release-reported", staleReported),
        ("stored", stored),
    ]

    static func main() {
        guard CommandLine.arguments.count > 1 else { return print(all.map(\.name).joined(separator: "\n")) }
        for (name, run) in all where CommandLine.arguments.contains(name) { run() }
    }
}
