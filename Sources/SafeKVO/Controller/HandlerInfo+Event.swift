extension HandlerInfo {
    /// Makes an info whose handler is told events.
    @inlinable
    convenience init(event parts: InfoParts, _ handler: @escaping Function) {
        parts.expect(Argument.self)
        self.init(parts, handler, invoke: Self.eventInvoke)
    }

    @inlinable
    static var eventInvoke: Invoke {
        @inline(__always) get {
            { info, observer, event in
                // SAFETY: the info is one of these, it hangs in a list with such events, under a controller of such an observer.
                let info = unsafe unsafeDowncast(info, to: Self.self)
                guard let event else {
                    info.releaseHandler()
                    return true
                }
                let occurrence = unsafe event.assumingType(SourceEvent<Argument>.self)
                unsafe info.handler(unsafeDowncast(observer, to: Observer.self), occurrence.pointee.event)
                return true
            }
        }
    }
}
