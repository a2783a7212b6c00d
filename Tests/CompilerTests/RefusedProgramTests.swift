import Foundation
import Testing

/// Programs that must not compile, each with a twin that differs in what it does with `observe` and does.
///
/// The first line of a program is what the compiler must say.
@Suite struct RefusedProgramTests {
    static let programs = Compiler.programs

    @Test("Rules 1a, 27, 36, 41, 41a: what is not safe is refused by the compiler, and its safe twin is not", arguments: programs)
    func whatIsNotSafeIsRefused(program: String) throws {
        let source = try String(contentsOf: Compiler.folder.appending(path: program), encoding: .utf8)
        let first = try #require(source.split(separator: "\n").first)
        let expected = first.dropFirst("// error: ".count)
        try #require(first.hasPrefix("// error: ") && !expected.isEmpty, "\(program) does not say what is wrong with it")

        let refused = try Compiler.compile(program)
        #expect(refused.status != 0, "\(program) compiles")
        #expect(refused.messages.contains { $0.contains("error: \(expected)") }, "\(refused.messages)")

        let accepted = try Compiler.compile(program, flags: ["-D", "LEGAL", "-warnings-as-errors"])
        #expect(accepted.status == 0, "\(accepted.messages)")
    }

    @Test("There are programs to try")
    func thereArePrograms() {
        #expect(Self.programs.count >= 80)
    }
}
