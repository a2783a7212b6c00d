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
    static func make(_: Void) -> PublishedModel { PublishedModel(()) }

    @inline(never)
    func assign(_ value: Int) { first = value }

    @inline(never)
    func read() -> Int {
        fence()
        return first
    }
}
