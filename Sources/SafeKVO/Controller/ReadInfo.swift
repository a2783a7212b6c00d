/// An observation with a handler that takes the observer and what was read from an event where that happened.
final class ReadInfo<Observer: AnyObject, Value>: ObservationInfo, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) see ``ObservationInfo``.

    typealias Function = (_ observer: Observer, _ value: Value) -> Void

    /// The handler, which is called where it is, without being retained.
    struct Handler: ~Copyable {
        let function: Function

        init(_ function: @escaping Function) { self.function = function }

        borrowing func callAsFunction(_ observer: Observer, _ value: Value) { function(observer, value) }
    }

    // SAFETY: (of the unchecked exclusivity) replaced once no call is inside and none will be.
    @exclusivity(unchecked) var handler: Handler

    init(_ parts: InfoParts, _ handler: @escaping Function, invoke: @escaping Invoke = ReadInfo.invoke) {
        unsafe self.handler = Handler(handler)
        super.init(parts, invoke: invoke)
    }

    /// Calls a handler of this kind; formed where the types are known, so that they need not be looked up at each call.
    static var invoke: Invoke {
        @inline(__always) get {
            { info, observer, event in
                // SAFETY: the info is one of these, it is told what was read, under a controller of such an observer.
                let info = unsafe unsafeDowncast(info, to: ReadInfo<Observer, Value>.self)
                guard let event else {
                    unsafe info.handler = Handler { _, _ in }
                    return true
                }
                unsafe info.handler(unsafeDowncast(observer, to: Observer.self), event.assumingType(Value.self).pointee)
                return true
            }
        }
    }
}
