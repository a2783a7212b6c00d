import SafeKVO
import SafeKVOTesting

/// A subject of one thread.
final class Lamp: KeyValueObject {
    @Observed var brightness = 0
    @Observed var colour = "white"
    @Observed var neighbour: Lamp?
    var percent: Int { brightness }
}

/// A subject that threads share.
final class Counter: KeyValueObject, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) the property is atomic.
    @AtomicObserved var count = 0
}

/// An observer that keeps its controllers.
class Viewer {
    private(set) lazy var observations = ObservationController(observer: self)
    private(set) lazy var notRetaining = ObservationController(observer: self, retainsObserved: false)

    func observations(retaining: Bool) -> ObservationController<Viewer> { retaining ? observations : notRetaining }
}

/// An observer that threads share.
final class SharedViewer: Sendable {}

/// Something for a handler to capture.
final class Capture {
    var value = 0
}
