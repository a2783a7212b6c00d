import GraphKit

/// A number that others are computed from: a user's base class.
class PlainCell {
    var value: Int { 0 }
}

/// A number that tells of its changes.
final class PlainNumber: PlainCell {
    var didChange: [(Int) -> Void] = []
    var number: Int {
        didSet {
            for call in didChange { call(number) }
        }
    }
    override var value: Int { number }

    init(_ number: Int) { self.number = number }
}

final class PlainPlus: PlainCell {
    let input: PlainCell
    let addend: Int
    override var value: Int {
        noteRun()
        return input.value &+ addend
    }

    init(_ input: PlainCell, _ addend: Int) {
        self.input = input
        self.addend = addend
    }
}

final class PlainPlusHard: PlainCell {
    let input: PlainCell
    let addend: Int
    override var value: Int {
        noteRun()
        workHard()
        return input.value &+ addend
    }

    init(_ input: PlainCell, _ addend: Int) {
        self.input = input
        self.addend = addend
    }
}

final class PlainTimes: PlainCell {
    let input: PlainCell
    let factor: Int
    override var value: Int {
        noteRun()
        return input.value &* factor
    }

    init(_ input: PlainCell, _ factor: Int) {
        self.input = input
        self.factor = factor
    }
}

final class PlainDifference: PlainCell {
    let left: PlainCell
    let right: PlainCell
    override var value: Int {
        noteRun()
        return left.value &- right.value
    }

    init(_ left: PlainCell, _ right: PlainCell) {
        self.left = left
        self.right = right
    }
}

final class PlainSum: PlainCell {
    let inputs: [PlainCell]
    override var value: Int {
        noteRun()
        return inputs.reduce(0) { $0 &+ $1.value }
    }

    init(_ inputs: [PlainCell]) { self.inputs = inputs }
}

final class PlainRepeated: PlainCell {
    let input: PlainCell
    let reads: Int
    override var value: Int {
        noteRun()
        return (0..<reads).reduce(0) { sum, _ in sum &+ input.value }
    }

    init(_ input: PlainCell, reads: Int) {
        self.input = input
        self.reads = reads
    }
}

final class PlainChoice: PlainCell {
    let head: PlainCell
    let odd: PlainCell
    let even: PlainCell
    override var value: Int {
        noteRun()
        return (0..<20).reduce(0) { sum, _ in sum &+ (head.value & 1 == 1 ? odd.value : even.value) }
    }

    init(_ head: PlainCell, odd: PlainCell, even: PlainCell) {
        self.head = head
        self.odd = odd
        self.even = even
    }
}
