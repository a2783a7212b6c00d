internal import CEndurance

/// The memory and the time that this process has used.
public enum Resources {
    /// The bytes of heap in use, as malloc counts them.
    public static var heap: Int { Int(endurance_heap()) }

    /// The bytes of this process that are in memory.
    public static var resident: Int { Int(endurance_resident()) }

    /// The seconds of processor time that all threads of this process have used.
    public static var processorTime: Double { endurance_processor_time() }

    /// Makes this process print each line at once, also into a file.
    public static func printLines() { endurance_print_lines() }

    /// Returns free memory to the system, as far as malloc can.
    public static func trim() { endurance_trim() }
}
