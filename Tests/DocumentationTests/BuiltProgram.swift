import Foundation

/// A program of this package, as it was built beside the tests.
struct BuiltProgram {
    private final class Anchor {}

    let url: URL

    /// What a run of a program left behind.
    struct Run: Equatable {
        var status: Int32
        var output: String
        var errors: String
    }

    init(named name: String) {
        #if canImport(Darwin)
            let directory = Bundle(for: Anchor.self).bundleURL.deletingLastPathComponent()
        #else
            let directory = Bundle.main.bundleURL
        #endif
        #if os(Windows)
            url = directory.appendingPathComponent("\(name).exe")
        #else
            url = directory.appendingPathComponent(name)
        #endif
    }

    /// Runs the program to its end.
    ///
    /// Its time zone is that of Greenwich. It must not write more to its standard error than a pipe holds.
    func run(_ arguments: [String]) throws -> Run {
        let process = Process()
        let output = Pipe()
        let errors = Pipe()
        process.executableURL = url
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(["TZ": "UTC"]) { $1 }
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let written = try (output.fileHandleForReading.readToEnd(), errors.fileHandleForReading.readToEnd())
        process.waitUntilExit()
        return Run(
            status: process.terminationStatus, output: String(decoding: written.0 ?? Data(), as: UTF8.self),
            errors: String(decoding: written.1 ?? Data(), as: UTF8.self))
    }
}
