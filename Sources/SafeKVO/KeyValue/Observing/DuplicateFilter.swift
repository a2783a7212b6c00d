/// A handler that is left out when old and new value are equal.
@usableFromInline
final class DuplicateFilter<Value>: HandlerContext {
    @usableFromInline let removing: RemovingDuplicates<Value>
    @usableFromInline let context: HandlerContext
    @usableFromInline let handler: ObservationInfo.Invoke

    @inlinable
    init(_ removing: RemovingDuplicates<Value>, context: HandlerContext, invoke: @escaping ObservationInfo.Invoke) {
        self.removing = removing
        self.context = context
        handler = invoke
        super.init()
    }

    /// Compares, and calls the handler behind.
    ///
    /// Before a change in place the new value is not known: that prior call is made in any case.
    @inlinable
    static var invoke: ObservationInfo.Invoke {
        @inline(__always) get {
            { context, info, observer, event in
                // SAFETY: an info with this way of calling was made with a filter as its context.
                let filter = unsafe unsafeDowncast(context, to: DuplicateFilter.self)
                let change = unsafe event.assumingType(KeyValueEvent<Value>.self)
                if let elements = unsafe change.pointee.header.elements, elements.isEmpty { return false }
                if let old = unsafe change.pointee.old, let new = unsafe change.pointee.new, filter.removing.areEqual(old, new) {
                    return false
                }
                return filter.handler(filter.context, info, observer, event)
            }
        }
    }
}
