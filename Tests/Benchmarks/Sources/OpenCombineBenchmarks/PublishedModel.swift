import BenchmarkKit
import OpenCombine

/// A subject whose properties are published.
final class PublishedModel: OpenCombineModel {
    @Published var first = 0
    @Published var second = 0
    @Published var third = 0
    @Published var fourth = 0
    @Published var fifth = 0

    var firstValues: Published<Int>.Publisher { $first }
    var secondValues: Published<Int>.Publisher { $second }

    var sum: Int { first &+ second }

    init(_: Void) {}

    @inline(never)
    static func create(_: Void, passes: Int) -> Int {
        for _ in 0..<passes { consume(PublishedModel(())) }
        return passes
    }

    @inline(never)
    func set(passes: Int) -> Int {
        for pass in 0..<passes {
            first = pass
            fence()
        }
        return passes
    }

    @inline(never)
    func get(passes: Int) -> Int {
        var sum = 0
        for _ in 0..<passes {
            sum &+= first
            fence()
        }
        return sum
    }
}
