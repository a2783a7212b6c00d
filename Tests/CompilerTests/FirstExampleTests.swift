import Foundation
import Testing

/// README's first example, which is the documentation's too, as a reader pastes it into a new module.
@Suite struct FirstExampleTests {
    /// A dialect of Swift: what is done to the example, and what the compiler is told.
    struct Dialect: Sendable, CustomTestStringConvertible {
        let name: String
        let flags: [String]
        var isOnMainActor = false

        var testDescription: String { name }
    }

    static let dialects = [
        Dialect(name: "nonisolated", flags: []),
        Dialect(name: "classes on the main actor", flags: [], isOnMainActor: true),
        Dialect(name: "a module on the main actor", flags: ["-default-isolation", "MainActor"]),
        Dialect(name: "Swift 5", flags: ["-swift-version", "5"]),
    ]

    @Test("README's first example compiles, without a warning, in every dialect", arguments: dialects)
    func theFirstExampleCompiles(in dialect: Dialect) throws {
        var example = try Self.example()
        if dialect.isOnMainActor {
            let isolated = example.replacing("\nfinal class ", with: "\n@MainActor final class ")
            try #require(isolated != example, "the example declares no class")
            example = isolated
        }
        let verdict = try Compiler.compile(source: example, flags: dialect.flags + ["-warnings-as-errors"])
        #expect(verdict.status == 0, "\(verdict.messages)")
    }

    @Test("The compiler refuses the example in a module on the main actor where it inherits its registrar")
    func theExampleThatInheritsIsRefused() throws {
        let example = try Self.example()
        let inheriting = example.replacing(
            "KeyValueObservable {\n    let keyValueRegistrar = KeyValueRegistrar()\n", with: "KeyValueObject {\n")
        try #require(inheriting != example, "the example does not conform to the protocol")
        let verdict = try Compiler.compile(source: inheriting, flags: ["-default-isolation", "MainActor"])
        #expect(verdict.messages.contains { $0.contains("has different actor isolation from nonisolated overridden declaration") })
    }

    /// The first Swift block of README.md.
    private static func example() throws -> String {
        let readme = Compiler.folder.appending(path: "../../../README.md").standardizedFileURL
        let blocks = try String(contentsOf: readme, encoding: .utf8).components(separatedBy: "```swift\n")
        let example = try #require(blocks.dropFirst().first?.components(separatedBy: "\n```").first)
        try #require(example.contains("import SafeKVO\n"), "the first block of README.md is no whole file")
        return example + "\n"
    }
}
