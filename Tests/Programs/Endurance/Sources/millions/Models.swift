import SafeKVO
import SafeKVOEvents

/// An observed object, which can observe others.
final class Link: KeyValueObject {
    @Observed var number = 0
    @Observed var middle: Middle?
    @Observed var items: [Int] = []
    var double: Int { number * 2 }
    private(set) lazy var observations = ObservationController(observer: self)
    var token: ObservationToken?
}

/// The object in the middle of a key path.
final class Middle: KeyValueObject {
    @Observed var end: End?
}

/// The object at the end of a key path.
final class End: KeyValueObject {
    @Observed var name = 0
}

/// An observer.
final class Viewer {
    var calls = 0
    private(set) lazy var observations = ObservationController(observer: self)
    private(set) lazy var notRetaining = ObservationController(observer: self, retainsObserved: false)
}

/// An observer of the size of a small screen, which does not store its controller.
final class Screen {
    private var state: (Int, Int, Int, Int, Int, Int, Int, Int) = (0, 0, 0, 0, 0, 0, 0, 0)
    var calls = 0
}

/// A subject and an observer of the observer pattern.
final class Thermometer: ObservableSubject {
    let eventRegistrar = EventRegistrar<Void>()
}

final class Display: SubjectObserver {
    private var state: (Int, Int, Int, Int, Int, Int, Int, Int) = (0, 0, 0, 0, 0, 0, 0, 0)
    var calls = 0

    func update(_ subject: Thermometer) { calls += 1 }
}
