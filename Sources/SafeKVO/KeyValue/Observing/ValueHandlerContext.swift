/// A handler that takes the observer and the new value.
@usableFromInline
final class ValueHandlerContext<Observer: AnyObject, Value>: HandlerContext {
    @usableFromInline typealias Handler = (_ observer: Observer, _ value: Value) -> Void

    @usableFromInline let handler: Handler

    @inlinable
    init(_ handler: @escaping Handler) {
        self.handler = handler
        super.init()
    }

    /// Calls a handler of this kind; formed where the types are known, so that they need not be looked up at each call.
    @inlinable
    static var invoke: ObservationInfo.Invoke {
        @inline(__always) get {
            { context, _, observer, event in
                guard let value = unsafe event.assumingType(KeyValueEvent<Value>.self).pointee.whole else { return false }
                // SAFETY: an info with such a context hangs in a list with such events, under a controller of such an observer.
                unsafe unsafeDowncast(context, to: ValueHandlerContext<Observer, Value>.self).handler(
                    unsafeDowncast(observer, to: Observer.self), value)
                return true
            }
        }
    }
}
