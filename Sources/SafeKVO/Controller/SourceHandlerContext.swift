/// A handler that takes the observer, the source and the event.
final class SourceHandlerContext<Observer: AnyObject, Source: ObservationSource>: HandlerContext {
    let handler: (_ observer: Observer, _ source: Source, _ event: Source.Event) -> Void

    init(_ handler: @escaping (_ observer: Observer, _ source: Source, _ event: Source.Event) -> Void) {
        self.handler = handler
        super.init()
    }

    static var invoke: ObservationInfo.Invoke {
        { context, _, observer, event in
            let event = unsafe event.assumingType(SourceEvent<Source.Event>.self)
            // SAFETY: an info with this context hangs in the list of such a source, under a controller of such an observer.
            unsafe event.pointee.source.with { source in
                unsafe unsafeDowncast(context, to: Self.self).handler(
                    unsafeDowncast(observer, to: Observer.self), unsafeDowncast(source, to: Source.self), event.pointee.event)
            }
            return true
        }
    }
}
