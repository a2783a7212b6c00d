import EnduranceKit
import Foundation

/// Uses every feature of the library for minutes, and fails if memory grows.
@main enum Soak {
    static func main() async {
        Resources.printLines()
        do {
            let arguments = try Arguments(Array(CommandLine.arguments.dropFirst()))
            print("soak: seed \(arguments.seed), \(arguments.seconds) s, leaking \(arguments.leak) pairs each second")
            exit(await Run(arguments).isPassed() ? 0 : 1)
        } catch {
            FileHandle.standardError.write(Data((Arguments.usage + "\n").utf8))
            exit(64)
        }
    }
}
