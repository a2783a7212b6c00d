import SafeKVO

/// A node with all properties.
final class Subject: Base {
    @Observed var b = 0
    @Observed var quiet = 0
    @Observed var next: Subject?
    /// Never nil; an object cannot be made with another of its class inside.
    @Observed var inner: Subject!
    @Observed var part: Base
    /// What nobody can see.
    var foreign = 0

    var outside: Int { foreign * 100 + b }
    var sum: Int { a + b }
    var doubleSum: Int { sum * 2 }
    var diamond: Int { sum + doubleSum + a }
    var quietDouble: Int { quiet * 2 }
    var choice: Int { a > 5 ? b : inner.a }
    var label: Int { foreign * 1000 + a }

    init(_ number: Int, part: Base) {
        self.part = part
        super.init(number)
    }

    override class func automaticallyNotifiesObservers(for key: ObservedKeyPath) -> Bool { key != \Subject.quiet }

    override class func keyPathsForValuesAffectingValue(for key: ObservedKeyPath) -> Set<AnyKeyPath> {
        key == \Subject.label ? [\Subject.outside, \Subject.inner.b] : []
    }
}
