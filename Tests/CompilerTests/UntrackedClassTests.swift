import Foundation
import Testing

/// Classes that do not conform to Swift's `Observable`: nothing is left of Swift's tracking in their getters and setters.
@Suite struct UntrackedClassTests {
    /// The optimised functions of a program by their names, in the compiler's intermediate language.
    ///
    /// With an accessor comes the function of its own that makes an assignment to an object that is observed.
    private func functions(of program: String) throws -> [String: String] {
        let output = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).sil")
        defer { try? FileManager.default.removeItem(at: output) }
        let verdict = try Compiler.compile("../Accepted/\(program)", flags: ["-O", "-o", output.path()])
        try #require(verdict.status == 0, "\(verdict.messages)")
        var functions: [String: String] = [:]
        var assignments: [String: String] = [:]
        var (name, symbol, body): (String, String, String?) = ("", "", nil)
        for line in try String(contentsOf: output, encoding: .utf8).split(separator: "\n") {
            if line.hasPrefix("} // end sil function") {
                functions[name] = body
                if name.contains(".assign<") { assignments[symbol] = body }
                body = nil
            } else if body != nil {
                body?.append("\(line)\n")
            } else if line.hasPrefix("sil "), line.hasSuffix("{") {
                body = ""
                symbol = String(line.drop { $0 != "@" }.prefix { $0 != " " })
            } else if line.hasPrefix("// "), !line.hasPrefix("// %"), !line.hasPrefix("// Isolation") {
                name = String(line.dropFirst(3))
            }
        }
        try #require(!assignments.isEmpty, "no function makes an assignment")
        return functions.mapValues { body in
            assignments.reduce(body) { $1.key.isEmpty || !body.contains("\($1.key) ") ? $0 : $0 + $1.value }
        }
    }

    @Test(
        "The accessors of a class that is not tracked call no requirement, form no key path for Swift's tracking and look for no registrar of it"
    )
    func nothingIsLeft() throws {
        let functions = try functions(of: "TrackedClasses.swift")
        let accessors = ["number", "shared"].flatMap { ["\($0).getter", "\($0).setter"] }
        for name in ["Inheriting", "Conforming", "Open"] {
            for accessor in accessors {
                let body = try #require(functions["\(name).\(accessor)"], "\(name).\(accessor) is not there")
                #expect(!body.contains("witness_method"), "\(name).\(accessor)")
                #expect(!body.contains("swiftRegistrar"), "\(name).\(accessor)")
                #expect(!body.contains("Observation"), "\(name).\(accessor)")
            }
        }
        // So it is not the test that finds nothing.
        for accessor in accessors {
            #expect(functions["Tracked.\(accessor)"]?.contains("swiftRegistrar") == true, "Tracked.\(accessor)")
        }
    }
}
