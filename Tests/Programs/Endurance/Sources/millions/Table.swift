/// The table of a trial: a row for each step, with its figures for each number of objects.
struct Table {
    let name: String
    /// The figures for each number of objects, ascending.
    let columns: [[Trial.Figure]]

    /// How many times the time for each object may grow from the first column to the last.
    ///
    /// Ten thousand objects are in the processor's caches and a million are not, so it is not 1.
    static let greatestTimeRatio = 8.0
    /// How many times the memory for each object may grow.
    static let greatestMemoryRatio = 1.6

    /// Prints the table, and returns the steps that are not linear.
    func print() -> [String] {
        Swift.print("\n\(name)")
        let counts = columns.compactMap { $0.first?.count }
        let head = counts.map { Self.pad("\($0)", 9) }.joined()
        Swift.print("  \(Self.pad("", 26))\(head)     ratio |\(head)     ratio")
        Swift.print("  \(Self.pad("", 26))\(Self.pad("ns of processor time each", 9 * counts.count + 10)) |  bytes of heap each")
        var excesses: [String] = []
        for row in columns[0].indices {
            let figures = columns.map { $0[row] }
            guard let first = figures.first, let last = figures.last else { continue }
            let time = last.nanoseconds / max(first.nanoseconds, 1)
            let memory = last.bytes / first.bytes
            let times = figures.map { Self.figure($0.nanoseconds, width: 9) }.joined()
            let sizes = figures.map { Self.figure($0.bytes, width: 9) }.joined()
            let hasMemory = first.bytes > 1
            Swift.print(
                "  \(Self.left(first.step, 26))\(times)\(Self.figure(time, width: 10, digits: 2)) |\(sizes)\(hasMemory ? Self.figure(memory, width: 10, digits: 2) : Self.pad("", 10))"
            )
            // Less than this is noise.
            if time > Self.greatestTimeRatio, last.nanoseconds > 100 { excesses.append("\(name), \(first.step): time, \(time) times") }
            if hasMemory, memory > Self.greatestMemoryRatio { excesses.append("\(name), \(first.step): memory, \(memory) times") }
        }
        return excesses
    }

    static func figure(_ value: Double, width: Int, digits: Int = 0) -> String {
        let scale = digits == 0 ? 1.0 : 100.0
        let rounded = (value * scale).rounded()
        guard digits > 0 else { return pad("\(Int(rounded))", width) }
        let hundredths = Int(rounded.magnitude) % 100
        return pad("\(Int(rounded) / 100).\(hundredths < 10 ? "0" : "")\(hundredths)", width)
    }

    private static func pad(_ text: String, _ width: Int) -> String { String(repeating: " ", count: max(0, width - text.count)) + text }

    private static func left(_ text: String, _ width: Int) -> String { text + String(repeating: " ", count: max(0, width - text.count)) }
}
