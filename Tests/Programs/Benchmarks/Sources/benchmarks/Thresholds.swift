import BenchmarkKit
import Foundation

/// The thresholds, which are data of the repository.
enum Thresholds {
    /// Where they are: in the folder of the package that this was built from.
    private static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Thresholds/time.json")

    /// Reads them.
    static func read() throws(Arguments.Mistake) -> [Threshold] {
        do {
            return try JSONDecoder().decode([Threshold].self, from: Data(contentsOf: file))
        } catch {
            throw Arguments.Mistake(message: "cannot read the thresholds in '\(file.path)': \(error)")
        }
    }
}
