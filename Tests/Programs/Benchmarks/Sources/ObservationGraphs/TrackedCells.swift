import GraphKit
import Observation

/// A number that others are computed from: a user's base class.
class TrackedCell {
    var value: Int { 0 }
}

@Observable
final class TrackedNumber: TrackedCell {
    var number: Int
    override var value: Int { number }

    init(_ number: Int) { self.number = number }
}

final class TrackedPlus: TrackedCell {
    let input: TrackedCell
    let addend: Int
    override var value: Int {
        noteRun()
        return input.value &+ addend
    }

    init(_ input: TrackedCell, _ addend: Int) {
        self.input = input
        self.addend = addend
    }
}

final class TrackedPlusHard: TrackedCell {
    let input: TrackedCell
    let addend: Int
    override var value: Int {
        noteRun()
        workHard()
        return input.value &+ addend
    }

    init(_ input: TrackedCell, _ addend: Int) {
        self.input = input
        self.addend = addend
    }
}

final class TrackedTimes: TrackedCell {
    let input: TrackedCell
    let factor: Int
    override var value: Int {
        noteRun()
        return input.value &* factor
    }

    init(_ input: TrackedCell, _ factor: Int) {
        self.input = input
        self.factor = factor
    }
}

final class TrackedDifference: TrackedCell {
    let left: TrackedCell
    let right: TrackedCell
    override var value: Int {
        noteRun()
        return left.value &- right.value
    }

    init(_ left: TrackedCell, _ right: TrackedCell) {
        self.left = left
        self.right = right
    }
}

final class TrackedSum: TrackedCell {
    let inputs: [TrackedCell]
    override var value: Int {
        noteRun()
        return inputs.reduce(0) { $0 &+ $1.value }
    }

    init(_ inputs: [TrackedCell]) { self.inputs = inputs }
}

final class TrackedRepeated: TrackedCell {
    let input: TrackedCell
    let reads: Int
    override var value: Int {
        noteRun()
        return (0..<reads).reduce(0) { sum, _ in sum &+ input.value }
    }

    init(_ input: TrackedCell, reads: Int) {
        self.input = input
        self.reads = reads
    }
}

final class TrackedChoice: TrackedCell {
    let head: TrackedCell
    let odd: TrackedCell
    let even: TrackedCell
    override var value: Int {
        noteRun()
        return (0..<20).reduce(0) { sum, _ in sum &+ (head.value & 1 == 1 ? odd.value : even.value) }
    }

    init(_ head: TrackedCell, odd: TrackedCell, even: TrackedCell) {
        self.head = head
        self.odd = odd
        self.even = even
    }
}

final class TrackedList {
    let inputs: [TrackedCell]
    var values: [Int] {
        noteRun()
        return inputs.map(\.value)
    }

    init(_ inputs: [TrackedCell]) { self.inputs = inputs }
}

final class TrackedElement: TrackedCell {
    let list: TrackedList
    let index: Int
    override var value: Int {
        noteRun()
        return list.values[index]
    }

    init(_ list: TrackedList, _ index: Int) {
        self.list = list
        self.index = index
    }
}
