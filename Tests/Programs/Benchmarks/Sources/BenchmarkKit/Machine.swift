internal import CBenchmarks
import Foundation

/// What a run was made on.
public enum Machine {
    /// How many programs wanted a processor, in the mean of the last minute.
    public static var load: Double { (benchmarks_load() * 100).rounded() / 100 }

    /// How many processors there are.
    public static var processors: Int { ProcessInfo.processInfo.activeProcessorCount }

    /// The compiler, as far as it can be told here.
    public static var toolchain: String {
        #if compiler(>=6.4)
            "Swift 6.4 or later"
        #elseif compiler(>=6.3)
            "Swift 6.3"
        #else
            "Swift 6.2"
        #endif
    }
}
