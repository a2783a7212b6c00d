public import Synchronization

/// A registration whose handler takes the observer and one argument.
@usableFromInline
package final class HandlerInfo<Observer: AnyObject, Argument>: ObservationInfo, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `considered` is atomic. `handler` is written only by `init` and by
    // `releaseHandler()`, which runs after the last call of the handler.

    @usableFromInline package typealias Function = (_ observer: Observer, _ argument: Argument) -> Void

    /// A noncopyable wrapper, so that a call does not retain the handler.
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
        self.init(parts, handler) { info, observer, event in
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

extension HandlerInfo {
    /// Makes a registration whose handler gets a value, which the delivering thread has read from the event.
    convenience init(read parts: InfoParts, _ handler: @escaping Function) {
        self.init(parts, handler) { info, observer, event in
            // SAFETY: only registrations of this class have this closure. They get values of type `Argument`, and have
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

/// A registration whose handler takes the observer, the observed object and one argument.
@usableFromInline
package final class SubjectHandlerInfo<Observer: AnyObject, Subject: AnyObject, Argument>: ObservationInfo, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `handler` is written only by `init` and by `releaseHandler()`, which runs
    // after the last call of the handler.

    @usableFromInline package typealias Function = (_ observer: Observer, _ subject: Subject, _ argument: Argument) -> Void

    /// A noncopyable wrapper, so that a call does not retain the handler.
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
        self.init(parts, handler) { info, observer, event in
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

extension HandlerInfo {
    @inlinable
    package convenience init(value parts: InfoParts, _ handler: @escaping Function) {
        parts.expect(Argument.self)
        self.init(parts, handler, invoke: Self.valueInvoke)
    }

    /// Returns `true` if the change `number` or a newer one was already delivered or skipped; otherwise stores `number`.
    ///
    /// The result for zero, which stands for a change without a number, is always `false`.
    @inlinable
    @inline(__always)
    func isOvertaken(_ number: UInt64) -> Bool {
        if number > considered.load(ordering: .relaxed) {
            considered.store(number, ordering: .relaxed)
            return false
        }
        if number == 0 { return false }
        noteOvertaken()
        return true
    }

    @inlinable
    package static var valueInvoke: Invoke {
        @inline(__always) get {
            { info, observer, event in
                // SAFETY: this closure is stored only in registrations of type `Self`. So `Observer` and `Argument` are the types of
                // `observer` and of the value.
                let info = unsafe unsafeDowncast(info, to: Self.self)
                guard let event else {
                    info.releaseHandler()
                    return true
                }
                let change = unsafe event.assumingType(KeyValueEvent<Argument>.self)
                if unsafe info.isOvertaken(change.pointee.header.number) { return false }
                guard let value = unsafe change.pointee.whole else { return false }
                if info.flags.contains(.comparesValues) {
                    let number = unsafe change.pointee.header.number
                    let isOvertaken = { number != 0 && info.considered.load(ordering: .relaxed) > number }
                    // `leavesOut` may release a value whose `deinit` makes a newer change. So check `isOvertaken` again.
                    if info.leavesOut(value, isOvertaken: isOvertaken) || isOvertaken() { return false }
                }
                unsafe info.handler(unsafeDowncast(observer, to: Observer.self), value)
                return true
            }
        }
    }
}

extension SubjectHandlerInfo {
    @inlinable
    package convenience init<Value>(change parts: InfoParts, _ handler: @escaping Function) where Argument == KeyValueChange<Value> {
        parts.expect(Value.self)
        self.init(parts, handler, invoke: Self.changeInvoke(Value.self))
    }

    @inlinable
    @inline(__always)
    package static func changeInvoke<Value>(_ type: Value.Type) -> Invoke where Argument == KeyValueChange<Value> {
        { info, observer, event in
            // SAFETY: this closure is stored only in registrations of type `Self`. So `Observer`, `Subject` and `Value` are the types of
            // `observer`, the observed object and the values.
            let info = unsafe unsafeDowncast(info, to: Self.self)
            guard let event else {
                info.releaseHandler()
                return true
            }
            let change = unsafe event.assumingType(KeyValueEvent<Value>.self)
            if unsafe info.leavesOut(change) { return false }
            unsafe change.pointee.header.subject.with { object in
                unsafe info.handler(
                    unsafeDowncast(observer, to: Observer.self), unsafeDowncast(object, to: Subject.self), KeyValueChange(change, for: info)
                )
            }
            return true
        }
    }
}
