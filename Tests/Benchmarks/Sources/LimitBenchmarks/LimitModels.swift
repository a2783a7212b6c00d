/// What is observed where nobody can observe.
final class Plain {
    var first = 0
    var second = 0
    var third = 0
    var fourth = 0
    var fifth = 0
}

/// Whom the limits call.
///
/// Each row has one of its own: an object that was ever referenced weakly is slower to retain.
final class LimitObserver: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) no two threads use what is in it at once.
    var sum = 0
}

/// The least that can call anybody: a closure in the subject.
final class ClosureSubject {
    var didChange: ((Int) -> Void)?
    var value = 0 { didSet { didChange?(value) } }
}

/// The least that can call somebody who may be gone.
final class WeakSubject {
    weak var observer: LimitObserver?
    var didChange: ((LimitObserver, Int) -> Void)?
    var value = 0 { didSet { if let observer { didChange?(observer, value) } } }
}
