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
}
