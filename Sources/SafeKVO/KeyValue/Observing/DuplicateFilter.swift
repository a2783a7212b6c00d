/// Leaves out changes whose old and new value are equal.
@usableFromInline
final class DuplicateFilter<Value> {
    @usableFromInline let removing: RemovingDuplicates<Value>

    @inlinable
    init(_ removing: RemovingDuplicates<Value>) { self.removing = removing }
}

extension ObservationInfo {
    /// Whether a change must not be told, because nothing has changed.
    ///
    /// Before a change in place the new value is not known: that prior call is made in any case.
    @inlinable
    @inline(__always)
    final func leavesOut<Value>(_ change: UnsafePointer<KeyValueEvent<Value>>) -> Bool {
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
