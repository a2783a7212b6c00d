import SafeKVO

/// A node with all properties.
final class Subject: Base, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) the comparison uses its objects on one thread.

    @Observed var b = 0
    @Observed var quiet = 0
    @Observed var own = 0
    @Observed var next: Subject?
    /// Never nil; an object cannot be made with another of its class inside.
    @Observed var inner: Subject!
    @Observed var part: Base
    @WeakObserved var weak: Subject?
    @AtomicObserved var atomic: Base
    let fixed: Base
    /// The plain storage of `manual` and `accessed`.
    var plainManual: Subject!
    var plainAccessed: Subject!

    var manual: Subject { plainManual }
    var accessed: Subject {
        access(\.accessed)
        return plainAccessed
    }

    override var shade: Int {
        get { super.shade * 2 }
        set { super.shade = newValue }
    }
    override var storedShade: Int { super.shade }
    override var width: Int {
        get { super.width + b }
        set { super.width = newValue }
    }
    override var tags: [Int] {
        get { super.tags }
        set { super.tags = newValue.count > 4 || newValue.contains { $0 > 2 } ? newValue.prefix(4).map { min($0, 2) } : newValue }
    }

    var outside: Int { foreign * 100 + b }
    var sum: Int { a + b }
    var doubleSum: Int { sum * 2 }
    var diamond: Int { sum + doubleSum + a }
    var quietDouble: Int { quiet * 2 }
    var ownDouble: Int { own * 2 }
    var choice: Int { a > 5 ? b : inner.a }
    var label: Int { foreign * 1000 + a }
    var summary: Int { foreign * 1000 + b }
    var manualDouble: Int {
        access(\.manual)
        return manual.a * 2
    }
    var accessedDouble: Int { accessed.a * 2 }
    var fixedSame: [Int] { fixed.items }

    init(_ number: Int, part: Base, atomic: Base, fixed: Base) {
        self.part = part
        self.atomic = atomic
        self.fixed = fixed
        super.init(number)
    }

    override class func automaticallyNotifiesObservers(for key: ObservedKeyPath) -> Bool { key != \Subject.quiet }

    override class func keyPathsForValuesAffectingValue(for key: ObservedKeyPath) -> Set<AnyKeyPath> {
        switch key {
        case \Subject.label: [\Subject.outside, \Subject.inner.b]
        case \Subject.own: [\Subject.level, \Subject.manual.text]
        case \Subject.summary: [\Subject.manual.a, \Subject.accessed.text, \Subject.weak?.level]
        default: []
        }
    }
}
