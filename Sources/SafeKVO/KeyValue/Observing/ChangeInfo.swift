/// An observation with a handler that takes the observer, the object and the change.
@usableFromInline
final class ChangeInfo<Observer: AnyObject, Object: AnyObject, Value>: ObservationInfo, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) see ``ObservationInfo``.

    @usableFromInline typealias Function = (_ observer: Observer, _ object: Object, _ change: KeyValueChange<Value>) -> Void

    /// The handler, which is called where it is, without being retained.
    @usableFromInline
    struct Handler: ~Copyable {
        @usableFromInline let function: Function

        @inlinable
        init(_ function: @escaping Function) { self.function = function }

        @inlinable
        @inline(__always)
        borrowing func callAsFunction(_ observer: Observer, _ object: Object, _ change: KeyValueChange<Value>) {
            function(observer, object, change)
        }
    }

    // SAFETY: (of the unchecked exclusivity) replaced once no call is inside and none will be.
    @exclusivity(unchecked) @usableFromInline var handler: Handler

    @inlinable
    init(_ parts: InfoParts, _ handler: @escaping Function, invoke: @escaping Invoke = ChangeInfo.invoke) {
        unsafe self.handler = Handler(handler)
        super.init(parts, invoke: invoke)
    }

    /// Calls a handler of this kind; formed where the types are known, so that they need not be looked up at each call.
    @inlinable
    static var invoke: Invoke {
        @inline(__always) get {
            { info, observer, event in
                // SAFETY: the info is one of these, it hangs in the list of such an object, under a controller of such an observer.
                let info = unsafe unsafeDowncast(info, to: ChangeInfo<Observer, Object, Value>.self)
                guard let event else {
                    unsafe info.handler = Handler { _, _, _ in }
                    return true
                }
                let change = unsafe event.assumingType(KeyValueEvent<Value>.self)
                if unsafe info.leavesOut(change) { return false }
                unsafe change.pointee.header.subject.with { object in
                    unsafe info.handler(
                        unsafeDowncast(observer, to: Observer.self), unsafeDowncast(object, to: Object.self),
                        KeyValueChange(change, for: info))
                }
                return true
            }
        }
    }
}
