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
    static func make(_: Void) -> CurrentValueModel { CurrentValueModel(()) }

    @inline(never)
    func assign(_ value: Int) { first.value = value }

    @inline(never)
    func read() -> Int {
        fence()
        return first.value
    }
}
