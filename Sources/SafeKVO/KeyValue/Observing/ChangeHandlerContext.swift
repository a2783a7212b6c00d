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
}
