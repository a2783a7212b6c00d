import Foundation

/// Runs twelve checks over Foundation's notification centre and the library's message centre, and prints a table.
@main
enum Checks {
    @MainActor static func main() {
        let checks = [
            Check(name: "order of registration", foundation: FoundationChecks.order, safeKVO: SafeKVOChecks.order),
            Check(name: "removal during a post", foundation: FoundationChecks.removalDuringPost, safeKVO: SafeKVOChecks.removalDuringPost),
            Check(name: "removing oneself", foundation: FoundationChecks.selfRemoval, safeKVO: SafeKVOChecks.selfRemoval),
            Check(
                name: "addition during a post", foundation: FoundationChecks.additionDuringPost,
                safeKVO: SafeKVOChecks.additionDuringPost),
            Check(name: "reused address", foundation: FoundationChecks.reusedAddress, safeKVO: SafeKVOChecks.reusedAddress),
            Check(name: "nil object", foundation: FoundationChecks.nilObject, safeKVO: SafeKVOChecks.nilObject),
            Check(name: "removing twice", foundation: FoundationChecks.doubleRemoval, safeKVO: SafeKVOChecks.doubleRemoval),
            Check(
                name: "end of 10000 of 1 name", foundation: { FoundationChecks.tearDown(names: 1) },
                safeKVO: { SafeKVOChecks.tearDown(names: 1) }),
            Check(
                name: "end of 10000 of 10000 names", foundation: { FoundationChecks.tearDown(names: 10_000) },
                safeKVO: { SafeKVOChecks.tearDown(names: 10_000) }),
            Check(name: "post to one's own queue", foundation: FoundationChecks.postToOwnQueue, safeKVO: SafeKVOChecks.postToOwnQueue),
            Check(name: "dead observer", foundation: FoundationChecks.deadObserver, safeKVO: SafeKVOChecks.deadObserver),
            Check(
                name: "raw name of a typed message", foundation: { "not tried" },
                safeKVO: SafeKVOChecks.rawNameOfAType),
        ]
        print("| check | Foundation | SafeKVO |\n|---|---|---|")
        for check in checks { print("| \(check.name) | \(check.foundation()) | \(check.safeKVO()) |") }
        // Not by returning: what hangs would be waited for.
        exit(0)
    }
}
