import BenchmarkKit
import Foundation

/// A subject whose properties post what they changed from and to.
final class NotifyingModel {
    static let first = Notification.Name("first")
    static let second = Notification.Name("second")
    static let willChangeFirst = Notification.Name("willChangeFirst")

    private let center: NotificationCenter

    var first = 0 { didSet { post(Self.first, oldValue, first) } }
    var second = 0 { didSet { post(Self.second, oldValue, second) } }
    var third = 0
    var fourth = 0
    var fifth = 0

    var sum: Int { first &+ second }

    init(_ center: NotificationCenter) {
        self.center = center
    }

    private func post(_ name: Notification.Name, _ old: Int, _ new: Int) {
        center.post(name: name, object: self, userInfo: ["old": old, "new": new])
    }

    /// Sets, and posts before and after.
    @inline(never)
    func setAnnounced(passes: Int) -> Int {
        for pass in 0..<passes {
            center.post(name: Self.willChangeFirst, object: self, userInfo: ["old": first])
            assign(pass)
            fence()
        }
        return passes
    }

    /// Observes as a careful program does: the block keeps nobody.
    func observe(_ name: Notification.Name, _ view: PeerView, _ handler: @escaping @Sendable (PeerView, Notification) -> Void) -> Token {
        let token = center.addObserver(forName: name, object: self, queue: nil) { [weak view] notification in
            guard let view else { return }
            handler(view, notification)
        }
        return Token(center: center, token: token)
    }

    /// What a block is removed by.
    struct Token {
        let center: NotificationCenter
        let token: any NSObjectProtocol
    }
}

extension NotifyingModel: RemovablePeerModel {
    static func makeWorld() -> NotificationCenter { NotificationCenter() }

    @inline(never)
    static func make(_ center: NotificationCenter) -> NotifyingModel { NotifyingModel(center) }

    @inline(never)
    func assign(_ value: Int) { first = value }

    @inline(never)
    func read() -> Int {
        fence()
        return first
    }

    func observe(_ view: PeerView) -> Token { observe(Self.first, view, Self.add) }

    func observeSecond(_ view: PeerView) -> Token { observe(Self.second, view, Self.add) }

    func addAndRemove(_ view: PeerView, passes: Int) -> Int {
        for _ in 0..<passes { center.removeObserver(observe(view).token) }
        return passes
    }

    static func end(_ tokens: inout [Token]) -> Int {
        let count = tokens.count
        for token in tokens { token.center.removeObserver(token.token) }
        // A token that is kept keeps its block.
        tokens = []
        return count
    }

    @Sendable
    private static func add(_ view: PeerView, _ notification: Notification) {
        guard let new = notification.userInfo?["new"] as? Int else { return }
        view.sum &+= new &* view.step
    }
}
