public import Synchronization

/// When two values count as equal, so that the second is left out.
///
/// A form that hands over values compares each with the last one that it handed over, and keeps that one. A form that hands over changes compares the
/// old value of each with the new one.
///
/// ```swift
/// observations.observe(clock, \.minute, removing: .duplicates) { view, minute in view.minute = minute }
/// ```
public struct RemovingDuplicates<Value> {
    @usableFromInline let areEqual: (Value, Value) -> Bool
    /// `true` if values are compared as their type says.
    let isStandard: Bool

    /// Leaves out changes whose old and new value the closure calls equal.
    ///
    /// The closure runs where the handler does; of a sequence, on the thread that makes the change.
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

/// Leaves out what equals what was told before.
///
/// There is one for each observation.
@usableFromInline
final class DuplicateFilter<Value>: FilterState, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable, and of the unchecked exclusivity) `last` is touched under the lock alone. Values are compared and released
    // outside it, where the handler would run.

    @usableFromInline let removing: RemovingDuplicates<Value>
    /// The last value that was handed over.
    @exclusivity(unchecked) @usableFromInline var last: Value?

    @inlinable
    init(_ removing: RemovingDuplicates<Value>) { self.removing = removing }

    /// The filter of a registration, if one was asked for.
    @inlinable
    @inline(__always)
    static func filter(_ removing: RemovingDuplicates<Value>?) -> AnyObject? {
        guard let removing else { return nil }
        return DuplicateFilter(removing)
    }

    /// Whether a value equals the last one that was handed over.
    ///
    /// If not, it is the last one from now on, unless the comparison itself has made a newer change.
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

/// What guards the state of a filter, whatever the type of its values.
@usableFromInline
class FilterState: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) nothing changes here but what the lock guards.
    private let lock = Lock()

    @usableFromInline
    init() {}

    @usableFromInline
    final func withLock(_ body: () -> Void) { lock.withLock(body) }
}

extension ObservationInfo {
    /// Whether a value must not be told, because it equals the last one that was.
    @inlinable
    final func leavesOut<Value>(_ value: Value, isOvertaken: () -> Bool) -> Bool {
        guard let filter else { return false }
        // SAFETY: who observes values of a type without duplicates does so with a filter for that type; a call is inside, so it is kept.
        return unsafe filter.with { unsafe unsafeDowncast($0, to: DuplicateFilter<Value>.self).isRepeated(value, isOvertaken: isOvertaken) }
    }

    /// `true` if a change must not be told, because nothing has changed, or because the controller is paused and no call was made before the change.
    ///
    /// Before a change in place the new value is not known: that prior call is made in any case.
    @inlinable
    @inline(__always)
    final func leavesOut<Value>(_ change: UnsafePointer<KeyValueEvent<Value>>) -> Bool {
        if flags.isDisjoint(with: [.comparesValues, .priorCall]) { return false }
        if flags.contains(.priorCall), state.load(ordering: .acquiring) & InfoState.paused != 0 {
            // Of a change that the observer was called before, it is called after, too.
            let isAfter = unsafe change.pointee.header.phase == .after
            if unsafe wasPaused(beforeChangeBegunAt: isAfter ? change.pointee.header.limit : 0) { return true }
        }
        guard flags.contains(.comparesValues), let filter else { return false }
        if let elements = unsafe change.pointee.header.elements, elements.isEmpty { return true }
        guard let old = unsafe change.pointee.old, let new = unsafe change.pointee.new else { return false }
        // SAFETY: who observes values of a type without duplicates does so with a filter for that type.
        return unsafe filter.with { unsafe unsafeDowncast($0, to: DuplicateFilter<Value>.self).removing.areEqual(old, new) }
    }

    /// What says when a change is left out.
    ///
    /// Not retained: it is let go once no call is inside and none will be.
    @usableFromInline
    final var filter: Unretained<AnyObject>? { withExtras { $0.filter.map { Unretained($0) } } }
}

extension Registration {
    /// The same, of a handler that is not called if nothing has changed, as far as that is asked for.
    package consuming func leavingOut<Value>(_ removing: RemovingDuplicates<Value>?) -> Registration {
        if let removing { leavingOut(DuplicateFilter(removing)) } else { self }
    }
}
