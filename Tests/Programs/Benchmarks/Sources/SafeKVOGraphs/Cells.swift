import GraphKit
import SafeKVO

/// A number that others are computed from: a user's base class.
class Cell: KeyValueObject {
    var value: Int { 0 }
}

final class Number: Cell {
    @Observed var number: Int
    override var value: Int { number }

    init(_ number: Int) { self.number = number }
}

final class Plus: Cell {
    let input: Cell
    let addend: Int
    override var value: Int {
        noteRun()
        return input.value &+ addend
    }

    init(_ input: Cell, _ addend: Int) {
        self.input = input
        self.addend = addend
    }
}

final class PlusHard: Cell {
    let input: Cell
    let addend: Int
    override var value: Int {
        noteRun()
        workHard()
        return input.value &+ addend
    }

    init(_ input: Cell, _ addend: Int) {
        self.input = input
        self.addend = addend
    }
}

final class Times: Cell {
    let input: Cell
    let factor: Int
    override var value: Int {
        noteRun()
        return input.value &* factor
    }

    init(_ input: Cell, _ factor: Int) {
        self.input = input
        self.factor = factor
    }
}

final class Difference: Cell {
    let left: Cell
    let right: Cell
    override var value: Int {
        noteRun()
        return left.value &- right.value
    }

    init(_ left: Cell, _ right: Cell) {
        self.left = left
        self.right = right
    }
}

final class Sum: Cell {
    let inputs: [Cell]
    override var value: Int {
        noteRun()
        return inputs.reduce(0) { $0 &+ $1.value }
    }

    init(_ inputs: [Cell]) { self.inputs = inputs }
}

final class Repeated: Cell {
    let input: Cell
    let reads: Int
    override var value: Int {
        noteRun()
        return (0..<reads).reduce(0) { sum, _ in sum &+ input.value }
    }

    init(_ input: Cell, reads: Int) {
        self.input = input
        self.reads = reads
    }
}

final class Choice: Cell {
    let head: Cell
    let odd: Cell
    let even: Cell
    override var value: Int {
        noteRun()
        return (0..<20).reduce(0) { sum, _ in sum &+ (head.value & 1 == 1 ? odd.value : even.value) }
    }

    init(_ head: Cell, odd: Cell, even: Cell) {
        self.head = head
        self.odd = odd
        self.even = even
    }
}

final class CellList {
    let inputs: [Cell]
    var values: [Int] {
        noteRun()
        return inputs.map(\.value)
    }

    init(_ inputs: [Cell]) { self.inputs = inputs }
}

final class Element: Cell {
    let list: CellList
    let index: Int
    override var value: Int {
        noteRun()
        return list.values[index]
    }

    init(_ list: CellList, _ index: Int) {
        self.list = list
        self.index = index
    }
}
