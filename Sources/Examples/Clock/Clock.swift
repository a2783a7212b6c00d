import Foundation

/// The main program, which reads the arguments and plays the scenes.
///
/// To read the example, begin with ``WallClock``, ``TerminalView`` and ``Tour``.
@main
enum Clock {
    static func main() async {
        do throws(UsageError) {
            switch try Arguments(CommandLine.arguments.dropFirst()) {
            case .help: print(Arguments.usage, terminator: "")
            case .run(let ticks): await Tour(ticks: ticks).run()
            }
        } catch {
            FileHandle.standardError.write(Data(error.line.utf8))
            exit(UsageError.exitStatus)
        }
    }
}
