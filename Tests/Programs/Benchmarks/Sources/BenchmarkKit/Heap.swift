internal import CBenchmarks

/// The memory in use.
public enum Heap {
    /// By how many bytes the heap grows while something is built, which is handed to the caller so that it lives until then.
    public static func growth<Built>(_ build: () -> Built) -> (bytes: Int, built: Built) {
        let before = benchmarks_heap()
        let built = build()
        return (Int(benchmarks_heap() - before), built)
    }
}
