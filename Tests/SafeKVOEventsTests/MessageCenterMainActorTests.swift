import SafeKVO
import SafeKVOEvents
import TestSupport
import Testing

/// Messages among classes of the main actor.
@MainActor @Suite struct MessageCenterMainActorTests {
    @MainActor final class View {
        var titles: [String] = []
        lazy var observations = ObservationController(observer: self)

        func titleDidChange(_ message: NamedMessage) { titles.append("method \(message.userInfo["title"] ?? "none")") }
    }

    @Test("Rule 40: handlers of the main actor run there, and are not run elsewhere")
    func handlersOfTheMainActorStayThere() {
        let (center, view) = (MessageCenter(), View())
        view.observations.observe(center, for: "title") { view, message in view.titles.append("\(message.userInfo["title"] ?? "none")") }
        view.observations.observe(center, for: "title", tag: "method", action: View.titleDidChange(_:))
        let token = center.observation(for: "title") { _ in view.titles.append("token") }
        center.post("title", userInfo: ["title": "Suites"])
        #expect(view.titles == ["Suites", "method Suites", "token"])
        OtherThread.run { center.post("title") }
        #expect(view.titles.count == 3)
        #expect(view.observations.counters.wrongIsolation == 2)
        withExtendedLifetime(token) {}
    }
}
