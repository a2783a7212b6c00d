/// A handler that takes the observer, the object and the change.
@usableFromInline
final class ChangeHandlerContext<Observer: AnyObject, Object: AnyObject, Value>: HandlerContext {
    @usableFromInline typealias Handler = (_ observer: Observer, _ object: Object, _ change: KeyValueChange<Value>) -> Void

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
            { context, info, observer, event in
                let event = unsafe event.assumingType(KeyValueEvent<Value>.self)
                // SAFETY: an info with such a context hangs in the list of such an object, under a controller of such an observer.
                unsafe event.pointee.header.subject.with { object in
                    unsafe unsafeDowncast(context, to: ChangeHandlerContext<Observer, Object, Value>.self).handler(
                        unsafeDowncast(observer, to: Observer.self), unsafeDowncast(object, to: Object.self),
                        KeyValueChange(event, for: info))
                }
                return true
            }
        }
    }
}
