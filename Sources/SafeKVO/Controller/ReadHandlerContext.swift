/// A handler that takes the observer and what was read from an event where that happened.
final class ReadHandlerContext<Observer: AnyObject, Value>: HandlerContext {
    private let handler: (_ observer: Observer, _ value: Value) -> Void

    init(_ handler: @escaping (_ observer: Observer, _ value: Value) -> Void) {
        self.handler = handler
        super.init()
    }

    static var invoke: ObservationInfo.Invoke {
        { context, _, observer, event in
            // SAFETY: an info with such a context is told what was read, under a controller of such an observer.
            let value = unsafe event.assumingType(Value.self).pointee
            unsafe unsafeDowncast(context, to: ReadHandlerContext<Observer, Value>.self).handler(
                unsafeDowncast(observer, to: Observer.self), value)
            return true
        }
    }
}
