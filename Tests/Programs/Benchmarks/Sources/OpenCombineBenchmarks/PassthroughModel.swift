import BenchmarkKit
import OpenCombine

/// A subject whose plain properties send their new values on.
final class PassthroughModel: OpenCombineModel {
    var first = 0 { didSet { firstValues.send(first) } }
    var second = 0 { didSet { secondValues.send(second) } }
    var third = 0 { didSet { thirdValues.send(third) } }
    var fourth = 0 { didSet { fourthValues.send(fourth) } }
    var fifth = 0 { didSet { fifthValues.send(fifth) } }

    let firstValues = PassthroughSubject<Int, Never>()
    let secondValues = PassthroughSubject<Int, Never>()
    let thirdValues = PassthroughSubject<Int, Never>()
    let fourthValues = PassthroughSubject<Int, Never>()
    let fifthValues = PassthroughSubject<Int, Never>()

    var sum: Int { first &+ second }

    init(_: Void) {}

    @inline(never)
    static func make(_: Void) -> PassthroughModel { PassthroughModel(()) }

    @inline(never)
    func assign(_ value: Int) { first = value }

    @inline(never)
    func read() -> Int {
        fence()
        return first
    }
}
