/// An observation with a handler that takes the observer and the new value.
@usableFromInline
final class ValueInfo<Observer: AnyObject, Value>: ObservationInfo, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) see ``ObservationInfo``.

    @usableFromInline typealias Function = (_ observer: Observer, _ value: Value) -> Void

    /// The handler, which is called where it is, without being retained.
    @usableFromInline
    struct Handler: ~Copyable {
        @usableFromInline let function: Function

        @inlinable
        init(_ function: @escaping Function) { self.function = function }

        @inlinable
        @inline(__always)
        borrowing func callAsFunction(_ observer: Observer, _ value: Value) { function(observer, value) }
    }

    // SAFETY: (of the unchecked exclusivity) replaced once no call is inside and none will be.
    @exclusivity(unchecked) @usableFromInline var handler: Handler

    @inlinable
    init(_ parts: InfoParts, _ handler: @escaping Function, invoke: @escaping Invoke = ValueInfo.invoke) {
        unsafe self.handler = Handler(handler)
        super.init(parts, invoke: invoke)
    }

    /// Calls a handler of this kind; formed where the types are known, so that they need not be looked up at each call.
    @inlinable
    static var invoke: Invoke {
        @inline(__always) get {
            { info, observer, event in
                // SAFETY: the info is one of these, it hangs in a list with such events, under a controller of such an observer.
                let info = unsafe unsafeDowncast(info, to: ValueInfo<Observer, Value>.self)
                guard let event else {
                    unsafe info.handler = Handler { _, _ in }
                    return true
                }
                let change = unsafe event.assumingType(KeyValueEvent<Value>.self)
                if unsafe info.leavesOut(change) { return false }
                guard let value = unsafe change.pointee.whole else { return false }
                unsafe info.handler(unsafeDowncast(observer, to: Observer.self), value)
                return true
            }
        }
    }
}
