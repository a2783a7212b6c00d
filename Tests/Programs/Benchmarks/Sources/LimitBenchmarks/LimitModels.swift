import BenchmarkKit

/// What is observed where nobody can observe.
final class Plain {
    var first = 0
    var second = 0
    var third = 0
    var fourth = 0
    var fifth = 0

    /// Mutates ``fifth`` in place, and no other property.
    ///
    /// It is enough that the module contains this: then each assignment to ``fifth`` checks that nobody else accesses the property.
    @inline(never)
    func mutateInPlace() { BenchmarkKit.mutateInPlace(&fifth) }
}

/// Whom the limits call.
///
/// Each row has one of its own: an object that was ever referenced weakly is slower to retain.
final class LimitObserver: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) no two threads use what is in it at once.
    var sum = 0
}

/// Something that a limit sets.
protocol Settable: AnyObject {
    /// Sets the value. One operation is one call of this function, which is not inlined.
    func assign(_ value: Int)
}

extension Settable {
    /// Sets the value so many times.
    func set(passes: Int) -> Int {
        for pass in 0..<passes { assign(pass) }
        return passes
    }
}

/// The least that can call anybody: a closure in the subject.
final class ClosureSubject: Settable {
    var didChange: ((Int) -> Void)?
    var value = 0 { didSet { didChange?(value) } }

    @inline(never)
    func assign(_ new: Int) { value = new }
}

/// The least that can call somebody who may be gone.
final class WeakSubject: Settable {
    weak var observer: LimitObserver?
    var didChange: ((LimitObserver, Int) -> Void)?
    var value = 0 { didSet { if let observer { didChange?(observer, value) } } }

    @inline(never)
    func assign(_ new: Int) { value = new }
}
