internal import CBenchmarks

/// The clocks, in nanoseconds.
public enum Clock {
    /// Processor time of this thread: what other programs do meanwhile does not count.
    public static func threadTime() -> Double { benchmarks_thread_time() }

    /// Time on the wall.
    public static func wallTime() -> Double { benchmarks_wall_time() }
}
