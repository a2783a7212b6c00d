import BenchmarkKit
import SafeKVO

/// A subject as a user writes one.
final class Model: KeyValueObject {
    @Observed var first = 0
    @Observed var second = 0
    @Observed var third = 0
    @Observed var fourth = 0
    @Observed var fifth = 0

    /// Derived from two properties.
    var sum: Int { first &+ second }

    /// Mutates ``fifth`` in place, and no other property.
    ///
    /// It is enough that the module contains this: then each assignment to ``fifth`` checks that nobody else accesses the property.
    @inline(never)
    func mutateInPlace() { BenchmarkKit.mutateInPlace(&fifth) }
}

/// A subject with others behind it.
final class Parent: KeyValueObject {
    @Observed var child = Model()
    @Observed var next: Parent!

    init(depth: Int) {
        super.init()
        if depth > 1 { next = Parent(depth: depth - 1) }
    }
}

/// A subject with a weak property.
final class WeakModel: KeyValueObject {
    @WeakObserved var other: Model?
}

/// A subject with a collection.
final class List: KeyValueObject {
    @Observed var items: [Int]
    @Observed var members: Set<Int>

    init(count: Int) {
        items = Array(0..<count)
        members = Set(0..<min(count, 1000))
    }
}

/// A class whose properties ``Heir`` inherits.
class Ancestor: KeyValueObject {
    @Observed var first = 0
    @Observed var items = Array(0..<1000)
}

/// A subject that declares nothing itself.
final class Heir: Ancestor {}

/// A subject of a generic class.
final class Pair<Value: FixedWidthInteger>: KeyValueObject {
    @Observed var first: Value = 0
    @Observed var second: Value = 0

    /// Derived from two properties.
    var sum: Value { first &+ second }
}

/// An object on the way to a model, which it holds in a `let`.
final class Holder: KeyValueObject {
    let model = Model()
}

/// A subject with a key path over a `let`: `\.holder.model.first`.
final class Shelf: KeyValueObject {
    @Observed var holder = Holder()
}

/// An observer as a user writes one.
///
/// Each row has observers of its own.
final class ModelView {
    var sum = 0

    func modelDidChange() {
        sum &+= 1
    }
}

/// Pairs with which the word that a subject pays shows through the rounding of the allocator, in the mean of both.
final class OnePlain { var first = 0 }
final class TwoPlain { var first = 0, second = 0 }
final class OneObserved: KeyValueObject { @Observed var first = 0 }
final class TwoObserved: KeyValueObject { @Observed var first = 0; @Observed var second = 0 }
