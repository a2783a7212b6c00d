import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

/// With an asynchronous main function the main actor leaves the main thread on Linux, and tests are run by one.
@MainActor @Suite struct MainActorClassTests {
    final class Model: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var title = ""
        @Observed private(set) var items: [String] = []
        var headline: String { title + " \(items.count)" }
        func add(_ item: String) { items.append(item) }
    }
    final class ModelView {
        private(set) var shown: [String] = []
        lazy var observations = ObservationController(observer: self)

        func show(_ model: Model) {
            observations.observe(model, \.title) { view, title in view.shown.append(title) }
            observations.observe(model, \.headline, options: [.old, .new]) { view, _, change in view.shown.append(change.told) }
            observations.observe(model, \.items, options: [.old, .new]) { view, model, change in
                view.shown.append("\(change.told) of \(model.title)")
            }
        }
    }

    @Test("Rule 40: a class on the main actor is observed by plain handlers on the main actor")
    func aClassOnTheMainActorIsObservedOnTheMainActor() {
        let model = Model()
        let view = ModelView()
        view.show(model)
        model.title = "A"
        model.add("x")
        #expect(
            view.shown == ["", "A", "after old  0 new A 0", "after old A 0 new A 1", #"after old [] new ["x"] of A"#])
        #expect(view.observations.counters.wrongIsolation == 0)
    }

    class Base: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var name = ""
        @Observed var size = 0
    }
    final class Derived: Base {
        @Observed var colour: String?
        private(set) var changes = 0
        override var size: Int {
            didSet { changes += 1 }
        }
    }

    @Test("A subclass on the main actor adds and overrides properties")
    func aSubclassOnTheMainActorIsObserved() throws {
        let derived = Derived()
        let view = ModelView()
        let log = EventLog<String>()
        view.observations.observe(derived, \.name, options: [.old, .new]) { _, _, change in log.append("name \(change.told)") }
        view.observations.observe(derived, \.size, options: [.old, .new]) { _, _, change in log.append("size \(change.told)") }
        view.observations.observe(derived, \.colour, options: [.old, .new]) { _, _, change in log.append("colour \(change.told)") }
        derived.name = "a"
        derived.size += 1
        derived.colour = "red"
        #expect(derived.changes == 1)
        #expect(view.observations.counters.wrongIsolation == 0)
        try log.expect(["name after old  new a", "size after old 0 new 1", #"colour after old nil new Optional("red")"#])
    }

    /// Formed here, called by whoever changes the model: on the main actor too.
    @Test("Rules 1, 40: the handler runs before the setter returns, without a hop")
    func theHandlerRunsBeforeTheSetterReturns() async throws {
        let model = Model()
        let view = ModelView()
        let log = EventLog<String>()
        view.observations.observe(model, \.title, options: .new) { _, _, change in log.append(change.told) }
        await Task {
            model.title = "A"
            log.append("set")
        }.value
        try log.expect(["after new A", "set"])
    }
}
