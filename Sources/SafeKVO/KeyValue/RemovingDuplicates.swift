public import Synchronization

/// A rule that decides when two values count as equal.
///
/// Observers are not notified of a value that equals the one before.
///
/// An observation that delivers values compares each value with the last value that it delivered, and retains that one. An observation that
/// delivers changes compares the old value of each change with the new one.
///
/// ```swift
/// observations.observe(clock, \.minute, removing: .duplicates) { view, minute in
///     view.minute = minute
/// }
/// ```
public struct RemovingDuplicates<Value> {
    @usableFromInline let areEqual: (Value, Value) -> Bool
    /// `true` if values are compared with the `==` of their type.
    let isStandard: Bool

    /// Leaves out changes if the closure returns `true` for the old and the new value.
    ///
    /// The closure runs where the handler runs. For a sequence, it runs on the thread that makes the change.
    public static func duplicates(by areEqual: @escaping (_ old: Value, _ new: Value) -> Bool) -> Self {
        Self(areEqual: areEqual)
    }

    @usableFromInline
    init(areEqual: @escaping (Value, Value) -> Bool, isStandard: Bool = false) {
        self.areEqual = areEqual
        self.isStandard = isStandard
    }
}

extension RemovingDuplicates where Value: Equatable {
    /// Leaves out changes whose old and new value are equal.
    @inlinable
    public static var duplicates: Self {
        Self(areEqual: { $0 == $1 }, isStandard: true)
    }
}

/// The state of one observation that leaves out repeated values: the rule, and the last delivered value.
@usableFromInline
final class DuplicateFilter<Value>: FilterState, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable, and of the unchecked exclusivity) `last` is only read or written under the lock. Values are compared
    // and released outside the lock, in the handler's isolation.

    @usableFromInline let removing: RemovingDuplicates<Value>
    /// The last delivered value.
    @exclusivity(unchecked) @usableFromInline var last: Value?

    @inlinable
    init(_ removing: RemovingDuplicates<Value>) { self.removing = removing }

    /// Makes the filter for a registration; nil if the registration has no rule.
    @inlinable
    @inline(__always)
    static func filter(_ removing: RemovingDuplicates<Value>?) -> AnyObject? {
        guard let removing else { return nil }
        return DuplicateFilter(removing)
    }

    /// Returns `true` if a value must be skipped, because it equals the last delivered value.
    ///
    /// Otherwise the value becomes the last delivered value. The comparison may itself make a newer change; then this value is skipped as
    /// well.
    @inlinable
    func isRepeated(_ value: Value, isOvertaken: () -> Bool) -> Bool {
        var other: Value?
        withLock { unsafe other = last }
        if let other, removing.areEqual(other, value) || isOvertaken() { return true }
        other = value
        withLock { unsafe swap(&last, &other) }
        return false
    }
}

/// The lock of a filter.
///
/// It is a base class, because it does not depend on the type of the values.
@usableFromInline
class FilterState: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) the lock is constant. What a subclass adds is changed only under this lock.
    private let lock = Lock()

    @usableFromInline
    init() {}

    @usableFromInline
    final func withLock(_ body: () -> Void) { lock.withLock(body) }
}

extension ObservationInfo {
    /// Returns `true` if a value must not be delivered, because it equals the last delivered value.
    @inlinable
    final func leavesOut<Value>(_ value: Value, isOvertaken: () -> Bool) -> Bool {
        guard let filter else { return false }
        // SAFETY: an observation that compares values has a filter for the type of its values. A call is running, so the info retains the
        // filter.
        return unsafe filter.with { unsafe unsafeDowncast($0, to: DuplicateFilter<Value>.self).isRepeated(value, isOvertaken: isOvertaken) }
    }

    /// Returns `true` if a change must not be delivered, because nothing has changed or because the controller is paused.
    ///
    /// If the observer was called before a change, it is also called after it, even if the controller is paused by then. Before a change in
    /// place, the new value is not known; so the values are not compared then.
    @inlinable
    @inline(__always)
    final func leavesOut<Value>(_ change: UnsafePointer<KeyValueEvent<Value>>) -> Bool {
        if flags.isDisjoint(with: [.comparesValues, .priorCall]) { return false }
        if flags.contains(.priorCall), state.load(ordering: .acquiring) & InfoState.paused != 0 {
            // An observer that was called before a change is also called after it, even if the controller was paused in between. So the
            // call after a change is left out only if the change began during the pause.
            let isAfter = unsafe change.pointee.header.phase == .after
            if unsafe wasPaused(beforeChangeBegunAt: isAfter ? change.pointee.header.limit : 0) { return true }
        }
        guard flags.contains(.comparesValues), let filter else { return false }
        if let elements = unsafe change.pointee.header.elements, elements.isEmpty { return true }
        guard let old = unsafe change.pointee.old, let new = unsafe change.pointee.new else { return false }
        // SAFETY: an observation that compares values has a filter for the type of its values. A call is running, so the info retains the
        // filter.
        return unsafe filter.with { unsafe unsafeDowncast($0, to: DuplicateFilter<Value>.self).removing.areEqual(old, new) }
    }

    /// The filter that decides which changes are left out; nil if the observation has none.
    ///
    /// The result is not retained. The info releases the filter only when no call is running and none can start.
    @usableFromInline
    final var filter: Unretained<AnyObject>? { withExtras { $0.filter.map { Unretained($0) } } }
}

extension Registration {
    /// Returns the same registration with a filter that leaves out repeated values, if a rule is given.
    package consuming func leavingOut<Value>(_ removing: RemovingDuplicates<Value>?) -> Registration {
        if let removing { leavingOut(DuplicateFilter(removing)) } else { self }
    }
}
