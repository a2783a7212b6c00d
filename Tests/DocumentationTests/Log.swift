import SafeKVO

/// An observer that notes lines, for examples that need no other one.
final class Log {
    lazy var observations = ObservationController(observer: self)
    var lines: [String] = []
}
