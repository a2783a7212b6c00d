import Foundation

/// Lines of cells as text, with the cells of a column below each other.
package struct Columns: CustomStringConvertible {
    let lines: [[String]]
    /// Which columns end at the same place, rather than begin there.
    let rightAligned: Set<Int>

    package init(lines: [[String]], rightAligned: Set<Int>) {
        self.lines = lines
        self.rightAligned = rightAligned
    }

    package var description: String {
        let count = lines.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in lines.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
        return lines.map { cells in
            let padded = cells.indices.map { column in
                let space = String(repeating: " ", count: widths[column] - cells[column].count)
                return rightAligned.contains(column) ? space + cells[column] : cells[column] + space
            }
            return padded.joined(separator: "  ").trimmingCharacters(in: .whitespaces)
        }
        .joined(separator: "\n")
    }
}
