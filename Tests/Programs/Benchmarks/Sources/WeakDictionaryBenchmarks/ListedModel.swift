import BenchmarkKit

/// A subject with such a list for each property.
final class ListedModel {
    var first = 0 { didSet { firstObservers.notify(oldValue, first) } }
    var second = 0 { didSet { secondObservers.notify(oldValue, second) } }
    var third = 0 { didSet { thirdObservers.notify(oldValue, third) } }
    var fourth = 0 { didSet { fourthObservers.notify(oldValue, fourth) } }
    var fifth = 0 { didSet { fifthObservers.notify(oldValue, fifth) } }

    let firstObservers = WeakDictionary<Int>()
    let secondObservers = WeakDictionary<Int>()
    private let thirdObservers = WeakDictionary<Int>()
    private let fourthObservers = WeakDictionary<Int>()
    private let fifthObservers = WeakDictionary<Int>()
    let priorObservers = WeakDictionary<Int>()

    var sum: Int { first &+ second }

    init(_: Void) {}

    /// Sets, and notifies before and after.
    @inline(never)
    func setAnnounced(passes: Int) -> Int {
        for pass in 0..<passes {
            priorObservers.notify(first, first)
            assign(pass)
            fence()
        }
        return passes
    }

    /// What an observation is removed by.
    struct Token {
        let model: ListedModel
        let view: PeerView
    }
}

extension ListedModel: RemovablePeerModel {
    @inline(never)
    static func make(_: Void) -> ListedModel { ListedModel(()) }

    @inline(never)
    func assign(_ value: Int) { first = value }

    @inline(never)
    func read() -> Int {
        fence()
        return first
    }

    func observe(_ view: PeerView) -> Token {
        firstObservers.add(view) { view, _, new in view.sum &+= new &* view.step }
        return Token(model: self, view: view)
    }

    func observeSecond(_ view: PeerView) -> Token {
        secondObservers.add(view) { view, _, new in view.sum &+= new &* view.step }
        return Token(model: self, view: view)
    }

    func addAndRemove(_ view: PeerView, passes: Int) -> Int {
        for _ in 0..<passes {
            firstObservers.add(view) { view, _, new in view.sum &+= new &* view.step }
            firstObservers.remove(view)
        }
        return passes
    }

    static func end(_ tokens: inout [Token]) -> Int {
        for token in tokens { token.model.firstObservers.remove(token.view) }
        return tokens.count
    }
}
