public import Synchronization

/// One registration whose handler takes the observer and one argument.
///
/// `init` also takes a closure, `invoke`, which reads the argument from an event and calls the handler. The closure knows both types, so it
/// needs no dynamic cast.
@usableFromInline
package final class HandlerInfo<Observer: AnyObject, Argument>: ObservationInfo, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `considered` is atomic. `handler` is written only by `init` and, when no call is running and none
    // can start, by `releaseHandler()`.

    @usableFromInline package typealias Function = (_ observer: Observer, _ argument: Argument) -> Void

    /// A wrapper that cannot be copied, so that a call uses the handler in place and does not retain it.
    @usableFromInline
    struct Handler: ~Copyable {
        @usableFromInline let function: Function

        @inlinable
        init(_ function: @escaping Function) { self.function = function }

        @inlinable
        @inline(__always)
        borrowing func callAsFunction(_ observer: Observer, _ argument: Argument) { function(observer, argument) }
    }

    // SAFETY: (of the unchecked exclusivity) after `init`, the handler is written only once the observation has ended. By then no call is
    // running and none can start.
    @exclusivity(unchecked) @usableFromInline var handler: Handler

    /// The serial number of the newest change whose value this observation has considered.
    ///
    /// The value was delivered to the handler, or it was left out because it equals the value before.
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
    /// Makes a registration whose handler gets the events of a source.
    @inlinable
    convenience init(event parts: InfoParts, _ handler: @escaping Function) {
        parts.expect(Argument.self)
        self.init(parts, handler, invoke: Self.eventInvoke)
    }

    @inlinable
    static var eventInvoke: Invoke {
        @inline(__always) get {
            { info, observer, event in
                // SAFETY: only infos of this class have this closure. Their lists deliver events of type `Argument`, and their controllers
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
    /// The value is read on the thread that delivers the event. The handler gets it in its own isolation.
    convenience init(read parts: InfoParts, _ handler: @escaping Function) {
        self.init(parts, handler, invoke: Self.readInvoke)
    }

    static var readInvoke: Invoke {
        @inline(__always) get {
            { info, observer, event in
                // SAFETY: only infos of this class have this closure. They get values of type `Argument`, and their controllers have
                // observers of type `Observer`.
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
///
/// `init` also takes a closure, `invoke`, which reads the argument from an event and calls the handler. The closure knows all types, so it
/// needs no dynamic cast.
@usableFromInline
package final class SubjectHandlerInfo<Observer: AnyObject, Subject: AnyObject, Argument>: ObservationInfo, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `handler` is written only by `init` and, when no call is running and none can start, by
    // `releaseHandler()`.

    @usableFromInline package typealias Function = (_ observer: Observer, _ subject: Subject, _ argument: Argument) -> Void

    /// A wrapper that cannot be copied, so that a call uses the handler in place and does not retain it.
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

    // SAFETY: (of the unchecked exclusivity) after `init`, the handler is written only once the observation has ended. By then no call is
    // running and none can start.
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
    /// Makes a registration whose handler gets the source and the event.
    @inlinable
    convenience init(event parts: InfoParts, _ handler: @escaping Function) {
        parts.expect(Argument.self)
        self.init(parts, handler, invoke: Self.eventInvoke)
    }

    @inlinable
    static var eventInvoke: Invoke {
        @inline(__always) get {
            { info, observer, event in
                // SAFETY: only infos of this class have this closure. Their lists belong to sources of type `Subject` and deliver events of
                // type `Argument`. Their controllers have observers of type `Observer`.
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
