import EnduranceKit

/// One experiment with a number of objects, in steps that are measured one by one.
struct Trial: Sendable {
    let name: String
    /// The greatest number; the trial also runs with a tenth and a hundredth of it.
    var greatest = 1_000_000
    let run: @Sendable (_ count: Int, _ steps: inout Steps) -> Void

    /// What one step took for each object.
    struct Figure {
        let step: String
        let count: Int
        /// Nanoseconds of processor time for each object.
        let nanoseconds: Double
        /// By how many bytes the heap grew for each object.
        let bytes: Double
    }

    /// The numbers of objects of this trial, ascending.
    func counts(upTo limit: Int) -> [Int] {
        let greatest = min(greatest, limit)
        return [greatest / 100, greatest / 10, greatest].filter { $0 > 0 }
    }
}

/// The measured steps of one trial with one number of objects.
struct Steps {
    let count: Int
    private(set) var figures: [Trial.Figure] = []
    private(set) var mistakes: [String] = []

    init(count: Int) { self.count = count }

    /// Measures one step.
    mutating func step(_ name: String, _ body: () -> Void) {
        let (time, heap) = (Resources.processorTime, Resources.heap)
        body()
        figures.append(
            Trial.Figure(
                step: name, count: count, nanoseconds: (Resources.processorTime - time) * 1e9 / Double(count),
                bytes: Double(Resources.heap - heap) / Double(count)))
    }

    /// Notes a wrong result, unless a condition is true.
    mutating func expect(_ isRight: Bool, _ text: String) {
        if !isRight { mistakes.append("\(text), with \(count) objects") }
    }
}
