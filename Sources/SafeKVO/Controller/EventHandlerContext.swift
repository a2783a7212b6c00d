/// A handler that takes the observer and the event.
@usableFromInline
final class EventHandlerContext<Observer: AnyObject, Event>: HandlerContext {
    @usableFromInline typealias Handler = (_ observer: Observer, _ event: Event) -> Void

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
                let event = unsafe event.assumingType(SourceEvent<Event>.self)
                // SAFETY: an info with such a context hangs in a list with such events, under a controller of such an observer.
                unsafe unsafeDowncast(context, to: EventHandlerContext<Observer, Event>.self).handler(
                    unsafeDowncast(observer, to: Observer.self), event.pointee.event)
                return true
            }
        }
    }
}
