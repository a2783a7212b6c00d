import SafeKVO

/// A number that is written.
final class Number: KeyValueObject {
    @Observed var number: Int

    init(_ number: Int) { self.number = number }
}

/// A number that is computed and kept.
final class NumberMemo: Memo {
    private let compute: () -> Int
    private var stored = 0

    var value: Int {
        willRead()
        return stored
    }

    init(_ compute: @escaping () -> Int) { self.compute = compute }

    override func run() -> Bool {
        let value = compute()
        defer { stored = value }
        return value != stored || count == 0
    }
}

/// The same for a list.
final class ListMemo: Memo {
    private let compute: () -> [Int]
    private var stored: [Int] = []

    var values: [Int] {
        willRead()
        return stored
    }

    init(_ compute: @escaping () -> [Int]) { self.compute = compute }

    override func run() -> Bool {
        let values = compute()
        defer { stored = values }
        return values != stored || count == 0
    }
}

/// A number that a memo can read.
enum Readable {
    case number(Number)
    case memo(NumberMemo)

    var value: Int {
        switch self {
        case .memo(let memo): return memo.value
        case .number(let number):
            let value = number.number
            Memo.noteRead(number, value)
            return value
        }
    }
}
