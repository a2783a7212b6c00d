import BenchmarkKit
import OpenCombine

/// A subject whose properties are subjects of their own.
final class CurrentValueModel: OpenCombineModel {
    let first = CurrentValueSubject<Int, Never>(0)
    let second = CurrentValueSubject<Int, Never>(0)
    let third = CurrentValueSubject<Int, Never>(0)
    let fourth = CurrentValueSubject<Int, Never>(0)
    let fifth = CurrentValueSubject<Int, Never>(0)

    var firstValues: CurrentValueSubject<Int, Never> { first }
    var secondValues: CurrentValueSubject<Int, Never> { second }

    var sum: Int { first.value &+ second.value }

    init(_: Void) {}

    @inline(never)
    static func create(_: Void, passes: Int) -> Int {
        for _ in 0..<passes { consume(CurrentValueModel(())) }
        return passes
    }

    @inline(never)
    func set(passes: Int) -> Int {
        for pass in 0..<passes {
            first.value = pass
            fence()
        }
        return passes
    }

    @inline(never)
    func get(passes: Int) -> Int {
        var sum = 0
        for _ in 0..<passes {
            sum &+= first.value
            fence()
        }
        return sum
    }
}
