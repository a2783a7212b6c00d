import SafeKVO
import TestSupport

/// Changes of the objects that all share.
extension World {
    func change(_ operation: ConcurrentOperation, _ random: inout SeededGenerator) {
        let cell = cells[Int.random(in: 0..<cells.count, using: &random)]
        switch operation {
        case .increment:
            if Bool.random(using: &random) {
                cell.count(0)
                cell.pure.update { $0 += 1 }
            } else {
                incrementMixed(cell)
            }
        case .assign: cell.loose.value = Int.random(in: 0..<100, using: &random)
        case .replacePart: replacePart(of: cell)
        case .announce, .announceByToken, .announceByPair: announce(cell, operation, &random)
        default: batch(cell, &random)
        }
    }

    func incrementMixed(_ cell: Cell) {
        cell.count(1)
        cell.mixed.update { $0 += 1 }
    }

    private func replacePart(of cell: Cell) {
        generations.add()
        let part = Part(generations.total, population)
        cell.count(2)
        cell.part.update { if $0.generation < part.generation { $0 = part } }
        cell.count(2)
        part.rank.update { $0 += 1 }
    }

    private func announce(_ cell: Cell, _ operation: ConcurrentOperation, _ random: inout SeededGenerator) {
        cell.count(3)
        switch operation {
        case .announceByToken:
            let change = cell.willChange(\.total)
            cell.addToTotal()
            if Bool.random(using: &random) { incrementMixed(cell) }
            change.didChange()
        case .announceByPair:
            cell.willChangeValue(for: \.total)
            cell.addToTotal()
            cell.didChangeValue(for: \.total)
        default:
            let isNested = Int.random(in: 0..<4, using: &random) == 0
            cell.withChange(of: \.total) {
                if isNested { cell.withChange(of: \.total) { cell.addToTotal() } }
                cell.addToTotal()
            }
        }
    }

    private func batch(_ cell: Cell, _ random: inout SeededGenerator) {
        withBatchedChanges {
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                switch Int.random(in: 0..<5, using: &random) {
                case 0, 1: incrementMixed(cell)
                case 2: cell.loose.value = Int.random(in: 0..<100, using: &random)
                case 3: announce(cell, .announce, &random)
                default: replacePart(of: cell)
                }
            }
        }
    }
}
