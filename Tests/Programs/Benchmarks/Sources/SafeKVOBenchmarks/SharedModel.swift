import BenchmarkKit
import SafeKVO

/// A subject that threads share.
final class SharedModel: KeyValueObject, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) the property is atomic.
    @AtomicObserved var first = 0

    @inline(never)
    func assign(_ value: Int) { first = value }

    @inline(never)
    func set(passes: Int) -> Int {
        for pass in 0..<passes {
            assign(pass)
            fence()
        }
        return passes
    }
}

/// An observer that threads may share, of objects and sources that any thread may use.
final class SharedView: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) the rows use one thread.
    var sum = 0
}

/// An observer of the main actor.
@MainActor final class SharedModelView {
    var sum = 0
}

/// A shared subject and its observer on the main actor.
@MainActor final class SharedMainModel {
    private let model = SharedModel()
    private let view = SharedModelView()
    private let controller: ObservationController<SharedModelView>

    init(_ observe: (_ controller: ObservationController<SharedModelView>, _ model: SharedModel, _ step: Int) -> Void) {
        controller = ObservationController(observer: view)
        observe(controller, model, opaque(1))
    }

    func set(passes: Int) -> Int { model.set(passes: passes) &+ view.sum }
}

/// An observer that is an actor.
actor SharedModelLog {
    var sum = 0
}
