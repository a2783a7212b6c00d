/// A handler that takes the observer and an event of a topic.
final class EventHandlerContext<Observer: AnyObject, Event>: HandlerContext {
    let handler: (_ observer: Observer, _ event: Event) -> Void

    init(_ handler: @escaping (_ observer: Observer, _ event: Event) -> Void) {
        self.handler = handler
        super.init()
    }

    static var invoke: ObservationInfo.Invoke {
        { context, _, observer, event in
            let event = unsafe event.assumingType(SourceEvent<Event>.self)
            // SAFETY: an info with this context hangs in the list of a topic with such events, under a controller of such an observer.
            unsafe unsafeDowncast(context, to: Self.self).handler(unsafeDowncast(observer, to: Observer.self), event.pointee.event)
            return true
        }
    }
}
