extension HandlerInfo {
    /// Makes an info whose handler is told what was read from an event where that happened.
    convenience init(read parts: InfoParts, _ handler: @escaping Function) {
        self.init(parts, handler, invoke: Self.readInvoke)
    }

    static var readInvoke: Invoke {
        @inline(__always) get {
            { info, observer, event in
                // SAFETY: the info is one of these, it is told what was read, under a controller of such an observer.
                let info = unsafe unsafeDowncast(info, to: Self.self)
                guard let event else {
                    info.releaseHandler()
                    return true
                }
                unsafe info.handler(unsafeDowncast(observer, to: Observer.self), event.assumingType(Argument.self).pointee)
                return true
            }
        }
    }
}
