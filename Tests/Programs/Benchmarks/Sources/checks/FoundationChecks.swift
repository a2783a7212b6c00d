import Foundation

/// The checks, tried on Foundation's centre.
enum FoundationChecks {
    private static let a = Notification.Name("a")

    /// A block that writes its name down.
    private static func observe(
        _ center: NotificationCenter, _ receiver: Receiver, _ word: String, name: Notification.Name? = a, object: AnyObject? = nil
    ) -> any NSObjectProtocol {
        center.addObserver(forName: name, object: object, queue: nil) { _ in receiver.heard.append(word) }
    }

    static func order() -> String {
        let (center, receiver, thing) = (NotificationCenter(), Receiver(), Thing())
        let tokens = (0..<12).map {
            observe(center, receiver, "\($0)", name: $0 % 4 < 2 ? a : nil, object: $0.isMultiple(of: 2) ? thing : nil)
        }
        center.post(name: a, object: thing)
        return withExtendedLifetime(tokens) { receiver.verdict((0..<12).map { "\($0)" }) }
    }

    static func removalDuringPost() -> String {
        let (center, receiver) = (NotificationCenter(), Receiver())
        let tokens = Tokens()
        for word in ["first", "second", "third"] {
            tokens.all.append(
                center.addObserver(forName: a, object: nil, queue: nil) { _ in
                    receiver.heard.append(word)
                    // Whoever comes first removes the others.
                    for token in tokens.all { center.removeObserver(token) }
                })
        }
        center.post(name: a, object: nil)
        return receiver.heard.count == 1 ? "right" : "WRONG: called after removal: \(receiver.heard.dropFirst().joined(separator: " "))"
    }

    static func selfRemoval() -> String {
        let (center, receiver, tokens) = (NotificationCenter(), Receiver(), Tokens())
        tokens.all.append(
            center.addObserver(forName: a, object: nil, queue: nil) { _ in
                receiver.heard.append("once")
                for token in tokens.all { center.removeObserver(token) }
            })
        center.post(name: a, object: nil)
        center.post(name: a, object: nil)
        return receiver.verdict(["once"])
    }

    static func additionDuringPost() -> String {
        let (center, receiver, tokens) = (NotificationCenter(), Receiver(), Tokens())
        tokens.all.append(
            center.addObserver(forName: a, object: nil, queue: nil) { _ in
                receiver.heard.append("first")
                if tokens.all.count == 1 { tokens.all.append(observe(center, receiver, "late")) }
            })
        center.post(name: a, object: nil)
        return receiver.verdict(["first"])
    }

    static func reusedAddress() -> String {
        let (center, receiver, tokens) = (NotificationCenter(), Receiver(), Tokens())
        var addresses: Set<ObjectIdentifier> = []
        for _ in 0..<200 {
            let thing = Thing()
            if !addresses.insert(ObjectIdentifier(thing)).inserted {
                center.post(name: a, object: thing)
                return receiver.heard.isEmpty ? "right" : "WRONG: told of a new object at the old address"
            }
            tokens.all.append(observe(center, receiver, "stranger", object: thing))
        }
        return "not tried: no address came again"
    }

    static func nilObject() -> String {
        let (center, receiver, thing) = (NotificationCenter(), Receiver(), Thing())
        let tokens = [observe(center, receiver, "any"), observe(center, receiver, "one", object: thing)]
        center.post(name: a, object: nil)
        center.post(name: a, object: thing)
        center.post(name: a, object: Thing())
        return withExtendedLifetime(tokens) {
            receiver.heard.sorted() == ["any", "any", "any", "one"] ? "right" : receiver.verdict([])
        }
    }

    static func doubleRemoval() -> String {
        let (center, receiver, tokens) = (NotificationCenter(), Receiver(), Tokens())
        for round in 0..<200 {
            let removed = observe(center, receiver, "removed")
            center.removeObserver(removed)
            receiver.heard = []
            tokens.all = (0..<10).map { observe(center, receiver, "\($0)") }
            center.removeObserver(removed)
            center.post(name: a, object: nil)
            if receiver.heard.count != 10 { return "WRONG: somebody else's observer was removed (round \(round))" }
            for token in tokens.all { center.removeObserver(token) }
        }
        return "right"
    }

    static func tearDown(names: Int) -> String {
        let (center, receiver) = (NotificationCenter(), Receiver())
        var tokens = (0..<10_000).map { observe(center, receiver, "", name: Notification.Name("name \($0 % names)")) }
        return Watch.nanoseconds(each: 10_000) {
            for token in tokens { center.removeObserver(token) }
            tokens = []
        }
    }

    static func postToOwnQueue() -> String {
        let (center, receiver, queue, done) = (NotificationCenter(), Receiver(), OperationQueue(), DispatchSemaphore(value: 0))
        queue.maxConcurrentOperationCount = 1
        let token = center.addObserver(forName: a, object: nil, queue: queue) { _ in receiver.heard.append("heard") }
        queue.addOperation {
            center.post(name: Notification.Name("a"), object: nil)
            done.signal()
        }
        let isBack = done.wait(timeout: .now() + 3) == .success
        if isBack { queue.waitUntilAllOperationsAreFinished() }
        return withExtendedLifetime(token) { isBack ? receiver.verdict(["heard"]) : "WRONG: hangs" }
    }

    static func deadObserver() -> String {
        let (center, tokens) = (NotificationCenter(), Tokens())
        weak var left: Receiver?
        func live() {
            let receiver = Receiver()
            left = receiver
            // As its documentation says it is used: with the observer.
            tokens.all.append(observe(center, receiver, "heard"))
        }
        live()
        center.post(name: a, object: nil)
        return left == nil ? "right" : "WRONG: the block keeps it, and it is called for ever"
    }

    private final class Tokens: @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) used on one thread.
        var all: [any NSObjectProtocol] = []
    }
}
