public import Synchronization

/// An observation with a handler that takes the observer and what it is told.
///
/// What is told of an event, and how it is taken out of it, is said where such infos are made: by the `invoke` that they are made with. It is formed where
/// the types are known, so that they need not be looked up at each call.
@usableFromInline
package final class HandlerInfo<Observer: AnyObject, Argument>: ObservationInfo, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) see ``ObservationInfo``.

    @usableFromInline package typealias Function = (_ observer: Observer, _ argument: Argument) -> Void

    /// The handler, which is called where it is, without being retained.
    @usableFromInline
    struct Handler: ~Copyable {
        @usableFromInline let function: Function

        @inlinable
        init(_ function: @escaping Function) { self.function = function }

        @inlinable
        @inline(__always)
        borrowing func callAsFunction(_ observer: Observer, _ argument: Argument) { function(observer, argument) }
    }

    // SAFETY: (of the unchecked exclusivity) replaced once no call is inside and none will be.
    @exclusivity(unchecked) @usableFromInline var handler: Handler

    /// The number of the newest change whose value was considered: handed over, or left out because it equals the one before.
    @usableFromInline let considered = Atomic<UInt64>(0)

    @inlinable
    package init(_ parts: InfoParts, _ handler: @escaping Function, invoke: @escaping Invoke) {
        unsafe self.handler = Handler(handler)
        super.init(parts, invoke: invoke)
    }

    /// Lets the handler go.
    @inlinable
    @inline(__always)
    func releaseHandler() { unsafe handler = Handler { _, _ in } }
}

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

/// An observation with a handler that takes the observer, the subject and what it is told.
///
/// What is told of an event, and how it is taken out of it, is said where such infos are made: by the `invoke` that they are made with. It is formed where
/// the types are known, so that they need not be looked up at each call.
@usableFromInline
package final class SubjectHandlerInfo<Observer: AnyObject, Subject: AnyObject, Argument>: ObservationInfo, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) see ``ObservationInfo``.

    @usableFromInline package typealias Function = (_ observer: Observer, _ subject: Subject, _ argument: Argument) -> Void

    /// The handler, which is called where it is, without being retained.
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

    // SAFETY: (of the unchecked exclusivity) replaced once no call is inside and none will be.
    @exclusivity(unchecked) @usableFromInline var handler: Handler

    @inlinable
    package init(_ parts: InfoParts, _ handler: @escaping Function, invoke: @escaping Invoke) {
        unsafe self.handler = Handler(handler)
        super.init(parts, invoke: invoke)
    }

    /// Lets the handler go.
    @inlinable
    @inline(__always)
    func releaseHandler() { unsafe handler = Handler { _, _, _ in } }
}

extension SubjectHandlerInfo {
    /// Makes an info whose handler is told the source and the event.
    @inlinable
    convenience init(event parts: InfoParts, _ handler: @escaping Function) {
        parts.expect(Argument.self)
        self.init(parts, handler, invoke: Self.eventInvoke)
    }

    @inlinable
    static var eventInvoke: Invoke {
        @inline(__always) get {
            { info, observer, event in
                // SAFETY: the info is one of these, it hangs in the list of such a source, under a controller of such an observer.
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
