public import Synchronization

/// One registration whose handler takes the observer and one argument.
///
/// The closure `invoke`, a parameter of `init`, takes the argument out of an event and calls the handler. The code that
/// makes the closure knows the types `Observer` and `Argument`, so a call needs no dynamic cast.
@usableFromInline
package final class HandlerInfo<Observer: AnyObject, Argument>: ObservationInfo, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `considered` is atomic. `handler` is written only by `init` and by
    // `releaseHandler()`, which runs after the last call of the handler.

    @usableFromInline package typealias Function = (_ observer: Observer, _ argument: Argument) -> Void

    /// A noncopyable wrapper of the handler, so that a call does not retain the handler.
    @usableFromInline
    struct Handler: ~Copyable {
        @usableFromInline let function: Function

        @inlinable
        init(_ function: @escaping Function) { self.function = function }

        @inlinable
        @inline(__always)
        borrowing func callAsFunction(_ observer: Observer, _ argument: Argument) { function(observer, argument) }
    }

    // SAFETY: (of the unchecked exclusivity) `releaseHandler()` writes the handler only after the last call of the
    // handler.
    @exclusivity(unchecked) @usableFromInline var handler: Handler

    /// The serial number of the newest change that was delivered to the handler, or skipped because the value was equal.
    @usableFromInline let considered = Atomic<UInt64>(0)

    @inlinable
    package init(_ parts: InfoParts, _ handler: @escaping Function, invoke: @escaping Invoke) {
        unsafe self.handler = Handler(handler)
        super.init(parts, invoke: invoke)
    }

    @inlinable
    @inline(__always)
    func releaseHandler() { unsafe handler = Handler { _, _ in } }
}

extension HandlerInfo {
    @inlinable
    convenience init(event parts: InfoParts, _ handler: @escaping Function) {
        parts.expect(Argument.self)
        self.init(parts, handler, invoke: Self.eventInvoke)
    }

    @inlinable
    static var eventInvoke: Invoke {
        @inline(__always) get {
            { info, observer, event in
                // SAFETY: only registrations of this class have this closure. They get events of type `Argument`, and
                // have observers of type `Observer`.
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

extension HandlerInfo {
    /// Makes a registration whose handler gets a value that was read from an event.
    ///
    /// The thread that delivers the event reads the value. The handler gets the value in its own isolation.
    convenience init(read parts: InfoParts, _ handler: @escaping Function) {
        self.init(parts, handler, invoke: Self.readInvoke)
    }

    static var readInvoke: Invoke {
        @inline(__always) get {
            { info, observer, event in
                // SAFETY: only registrations of this class have this closure. They get values of type `Argument`, and
                // have observers of type `Observer`.
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

/// One registration whose handler takes the observer, the observed object and one argument.
@usableFromInline
package final class SubjectHandlerInfo<Observer: AnyObject, Subject: AnyObject, Argument>: ObservationInfo, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `handler` is written only by `init` and by `releaseHandler()`, which runs
    // after the last call of the handler.

    @usableFromInline package typealias Function = (_ observer: Observer, _ subject: Subject, _ argument: Argument) -> Void

    /// A noncopyable wrapper of the handler, so that a call does not retain the handler.
    @usableFromInline
    struct Handler: ~Copyable {
        @usableFromInline let function: Function

        @inlinable
        init(_ function: @escaping Function) { self.function = function }

        @inlinable
        @inline(__always)
        borrowing func callAsFunction(_ observer: Observer, _ subject: Subject, _ argument: Argument) {
            function(observer, subject, argument)
        }
    }

    // SAFETY: (of the unchecked exclusivity) `releaseHandler()` writes the handler only after the last call of the
    // handler.
    @exclusivity(unchecked) @usableFromInline var handler: Handler

    @inlinable
    package init(_ parts: InfoParts, _ handler: @escaping Function, invoke: @escaping Invoke) {
        unsafe self.handler = Handler(handler)
        super.init(parts, invoke: invoke)
    }

    @inlinable
    @inline(__always)
    func releaseHandler() { unsafe handler = Handler { _, _, _ in } }
}

extension SubjectHandlerInfo {
    @inlinable
    convenience init(event parts: InfoParts, _ handler: @escaping Function) {
        parts.expect(Argument.self)
        self.init(parts, handler, invoke: Self.eventInvoke)
    }

    @inlinable
    static var eventInvoke: Invoke {
        @inline(__always) get {
            { info, observer, event in
                // SAFETY: only registrations of this class have this closure. They get events of type `Argument` from
                // sources of type `Subject`, and have observers of type `Observer`.
                let info = unsafe unsafeDowncast(info, to: Self.self)
                guard let event else {
                    info.releaseHandler()
                    return true
                }
                let occurrence = unsafe event.assumingType(SourceEvent<Argument>.self)
                unsafe occurrence.pointee.source.with { source in
                    unsafe info.handler(
                        unsafeDowncast(observer, to: Observer.self), unsafeDowncast(source, to: Subject.self), occurrence.pointee.event)
                }
                return true
            }
        }
    }
}
