extension HandlerInfo {
    /// Makes an info whose handler is told new values.
    @inlinable
    convenience init(value parts: InfoParts, _ handler: @escaping Function) {
        parts.expect(Argument.self)
        self.init(parts, handler, invoke: Self.valueInvoke)
    }

    @inlinable
    static var valueInvoke: Invoke {
        @inline(__always) get {
            { info, observer, event in
                // SAFETY: the info is one of these, it hangs in a list with such events, under a controller of such an observer.
                let info = unsafe unsafeDowncast(info, to: Self.self)
                guard let event else {
                    info.releaseHandler()
                    return true
                }
                let change = unsafe event.assumingType(KeyValueEvent<Argument>.self)
                if unsafe info.leavesOut(change) { return false }
                guard let value = unsafe change.pointee.whole else { return false }
                unsafe info.handler(unsafeDowncast(observer, to: Observer.self), value)
                return true
            }
        }
    }
}
