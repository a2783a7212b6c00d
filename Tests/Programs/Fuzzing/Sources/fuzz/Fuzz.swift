import Foundation
import LifetimeModel
@testable import SafeKVO

/// Reads a program out of the bytes, runs it, and traps if the model objects.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // SAFETY: the fuzzer says how many bytes there are.
    let program = Program(bytes: unsafe Array(UnsafeBufferPointer(start: start, count: count)))
    let live = LiveProgram<LiveThing>(checksAlways: true)
    guard let failure = live.run(program) else { return 0 }
    let lines = program.operations.prefix(failure.index + 1).enumerated().map { "  \($0 + 1). \($1)" }
    let report = ([failure.objection] + lines + ["  and then the end, in the order \(program.ending)"]).joined(separator: "\n") + "\n"
    FileHandle.standardError.write(Data(report.utf8))
    preconditionFailure("The model objects.")
}
