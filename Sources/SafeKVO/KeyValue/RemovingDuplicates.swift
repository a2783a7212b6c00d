public import Synchronization

/// A rule that decides when two values count as equal.
///
/// Observers are not notified of a value that equals the one before.
///
/// If the handler takes changes, the old value of each change is compared with its new value.
///
/// If the handler takes values, each value is compared with the last delivered one, which the observation retains. With `initial: false`,
/// the first change is always delivered, because nothing was delivered before it. `onChange(of:_:removing:)` compares the first change
/// with the value at the registration.
///
/// ```swift
/// observations.observe(clock, \.minute, removing: .duplicates) { view, minute in
///     view.minute = minute
/// }
/// ```
public struct RemovingDuplicates<Value> {
    @usableFromInline let areEqual: (Value, Value) -> Bool
    let isStandard: Bool

    /// Returns a rule that leaves out a change if a closure returns `true` for its old and new value.
    ///
    /// The closure runs on the thread on which the handler would run. For an asynchronous sequence, it runs on the thread that makes the
    /// change, which is in the isolation in which the sequence was made.
    public static func duplicates(by areEqual: @escaping (_ old: Value, _ new: Value) -> Bool) -> Self {
        Self(areEqual: areEqual)
    }

    @usableFromInline
    init(areEqual: @escaping (Value, Value) -> Bool, isStandard: Bool = false) {
        self.areEqual = areEqual
        self.isStandard = isStandard
    }

    @_alwaysEmitIntoClient
    package var filter: AnyObject { DuplicateFilter(self) }
}

extension RemovingDuplicates where Value: Equatable {
    /// A rule that leaves out a change if its old and new value are equal.
    @_alwaysEmitIntoClient
    public static var duplicates: Self {
        Self(areEqual: { $0 == $1 }, isStandard: true)
    }
}

/// A rule that decides when two values count as equal, for a handler that may run in another isolation.
///
/// The forms with `on:` take such a rule, because they compare values wherever a value is changed or delivered. Its closure is `Sendable`.
/// Otherwise it works like ``RemovingDuplicates``.
public struct SharedRemovingDuplicates<Value>: Sendable {
    @usableFromInline let areEqual: @Sendable (Value, Value) -> Bool
    let isStandard: Bool

    /// Returns a rule that leaves out a change if a closure returns `true` for its old and new value.
    public static func duplicates(by areEqual: @escaping @Sendable (_ old: Value, _ new: Value) -> Bool) -> Self {
        Self(areEqual: areEqual, isStandard: false)
    }

    @usableFromInline
    init(areEqual: @escaping @Sendable (Value, Value) -> Bool, isStandard: Bool) {
        self.areEqual = areEqual
        self.isStandard = isStandard
    }

    @usableFromInline
    var rule: RemovingDuplicates<Value> { RemovingDuplicates(areEqual: areEqual, isStandard: isStandard) }

    @usableFromInline
    package var filter: AnyObject { rule.filter }
}

extension SharedRemovingDuplicates where Value: Equatable & SendableMetatype {
    /// A rule that leaves out a change if its old and new value are equal.
    @_alwaysEmitIntoClient
    public static var duplicates: Self {
        Self(areEqual: { $0 == $1 }, isStandard: true)
    }
}

/// A filter that skips repeated values of one observation.
///
/// The filter keeps the rule and the last delivered value. Values are compared and released in the handler's isolation.
@usableFromInline
final class DuplicateFilter<Value> {
    @usableFromInline let removing: RemovingDuplicates<Value>
    // SAFETY: (of the unchecked exclusivity) only calls of a handler that takes values use `last`. One thread at a time runs such a
    // handler, and no code of the program runs during an access.
    @exclusivity(unchecked) @usableFromInline var last: Value?

    @_alwaysEmitIntoClient
    init(_ removing: RemovingDuplicates<Value>) { self.removing = removing }

    /// Returns `true` to skip a value that equals the last delivered one, or for which `isOvertaken` finds a newer change.
    ///
    /// A value that is not skipped is stored as the last delivered one.
    @_alwaysEmitIntoClient
    func isRepeated(_ value: Value, isOvertaken: () -> Bool) -> Bool {
        var other = withLast { $0 }
        if let other, removing.areEqual(other, value) || isOvertaken() { return true }
        other = value
        withLast { swap(&$0, &other) }
        return false
    }

    @_alwaysEmitIntoClient @inline(__always)
    func withLast<Result>(_ body: (inout Value?) -> Result) -> Result { unsafe body(&last) }
}

extension ObservationInfo {
    /// Returns `true` if the change must be skipped: the old and new value are equal, or the change began while the controller was paused.
    ///
    /// Two values count as different if one of them is unknown.
    @_alwaysEmitIntoClient
    @inline(__always)
    final func leavesOut<Value>(_ change: EventView<KeyValueEvent<Value>>) -> Bool {
        if flags.isDisjoint(with: [.comparesValues, .priorCall]) { return false }
        if isPaused(for: change.pointee.header.phase, begunAt: change.pointee.header.cutoff) { return true }
        guard flags.contains(.comparesValues) else { return false }
        if let elements = change.pointee.header.elements, elements.isEmpty { return true }
        guard let old = change.pointee.old, let new = change.pointee.new else { return false }
        // SAFETY: this function runs only during a call of the handler, which keeps the filter alive. `Value` is the type of the handler's
        // values.
        return unsafe withFilter(of: Value.self) { $0.removing.areEqual(old, new) } ?? false
    }

    /// Returns `true` if an observation that is called before each change was paused before this one began.
    ///
    /// An observer that was called before the change must be called after it, too, even if the controller was paused in between.
    @_alwaysEmitIntoClient
    @inline(__always)
    final func isPaused(for phase: KeyValueEventHeader.Phase, begunAt cutoff: UInt64) -> Bool {
        flags.contains(.priorCall) && state.load(ordering: .acquiring) & InfoState.paused != 0
            && wasPaused(beforeChangeBegunAt: phase == .after ? cutoff : 0)
    }

    /// The filter for repeated values, valid only while the handler is being called.
    @unsafe @_alwaysEmitIntoClient @inline(__always)
    final func withFilter<Value, Result>(of type: Value.Type, _ body: (DuplicateFilter<Value>) -> Result) -> Result? {
        unsafe filter?.with { unsafe body(unsafeDowncast($0, to: DuplicateFilter<Value>.self)) }
    }

    @usableFromInline
    final var filter: Unretained<AnyObject>? { withExtras { $0.filter.map { Unretained($0) } } }
}
