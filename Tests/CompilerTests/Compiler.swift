import Foundation

/// The compiler that built the tests.
enum Compiler {
    /// What it said of a program.
    struct Verdict {
        let status: Int32
        /// Its errors and warnings.
        let messages: [String]
    }

    static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Programs")

    static var programs: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path())) ?? []
        return names.filter { $0.hasSuffix(".swift") }.sorted()
    }

    /// Where the build that runs put its modules.
    private static var products: URL? {
        Bundle.main.executableURL?.deletingLastPathComponent()
    }

    /// Compiles a program that is written in a test.
    static func compile(source: String, flags: [String]) throws -> Verdict {
        let file = FileManager.default.temporaryDirectory.appending(path: "SafeKVO-\(UUID().uuidString).swift")
        try source.write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        return try compile(file, flags: flags)
    }

    /// Compiles one of the programs of the folder.
    static func compile(_ program: String, flags: [String] = []) throws -> Verdict {
        try compile(folder.appending(path: program), flags: flags)
    }

    /// Compiles a file as far as the compiler has something to say about it.
    private static func compile(_ file: URL, flags: [String]) throws -> Verdict {
        guard let products else { throw CocoaError(.fileNoSuchFile) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        // Who may send what where is found out behind the checking of types.
        process.arguments =
            ["swiftc", "-emit-sil", "-o", "/dev/null", "-swift-version", "6", "-I", products.appending(path: "Modules").path()]
            + ["-Xcc", "-fmodule-map-file=\(products.appending(path: "CSafeKVO.build/module.modulemap").path())"]
            + flags + [file.path()]
        let output = Pipe()
        process.standardError = output
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let lines = String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
        return Verdict(status: process.terminationStatus, messages: lines.filter { $0.contains("error: ") || $0.contains("warning: ") })
    }
}
