public import Synchronization

/// A registration whose handler takes the observer and one argument.
@usableFromInline
package final class HandlerInfo<Observer: AnyObject, Argument>: ObservationInfo, HandlerKeeper, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `considered` is atomic. `handler` is written only by `init` and by
    // `releaseHandler()`, which runs after the last call of the handler.

    @usableFromInline package typealias Function = (_ observer: Observer, _ argument: Argument) -> Void

    /// A noncopyable wrapper, so that a call does not retain the handler.
    @usableFromInline
    struct Handler: ~Copyable {
        @usableFromInline let function: Function?

        @_alwaysEmitIntoClient
        init(_ function: Function?) { self.function = function }

        @_alwaysEmitIntoClient
        @inline(__always)
        borrowing func callAsFunction(_ observer: Observer, _ argument: Argument) { function?(observer, argument) }
    }

    // SAFETY: (of the unchecked exclusivity) `releaseHandler()` writes the handler only after the last call of the
    // handler.
    @exclusivity(unchecked) @usableFromInline var handler: Handler

    @usableFromInline let considered = Atomic<UInt64>(1)

    @_alwaysEmitIntoClient
    package init(_ parts: InfoParts, _ handler: @escaping Function, invoke: @escaping Invoke) {
        unsafe self.handler = Handler(handler)
        super.init(parts, invoke: invoke)
    }

    @_alwaysEmitIntoClient
    package override func releaseHandler() { unsafe handler = Handler(nil) }

    package override func takeHandler() -> Any? {
        defer { releaseHandler() }
        return unsafe handler.function
    }

    @_alwaysEmitIntoClient @inline(__always)
    func run(_ observer: Observer, _ argument: Argument) { unsafe handler(observer, argument) }

    package override func presentEvent() -> EventBox? {
        withList { list in
            let number = list.lastChange
            let event = list.hook.map { $0.whenReadable { list.read(number) } } ?? list.read(number)
            if list.lastChange == number { return event }
            // Another thread may have made that change before the read, or after it.
            mark()
            return nil
        }
    }
}

/// A registration that stores its handler.
@usableFromInline
protocol HandlerKeeper: ObservationInfo {
    associatedtype Observer: AnyObject
}

extension HandlerKeeper {
    /// Casts a registration, its observer and an event to their types, and passes them to `body`.
    ///
    /// `info` must be a registration of this class, `observer` its observer, and the event of the type `Event`.
    @unsafe @_alwaysEmitIntoClient @inline(__always)
    static func handle<Event>(
        _ info: ObservationInfo, _ observer: AnyObject, _ event: EventPointer, as type: Event.Type,
        _ body: (_ info: Self, _ observer: Observer, _ event: EventView<Event>) -> Bool
    ) -> Bool {
        // SAFETY: the caller guarantees the types of the registration, its observer and the event.
        unsafe body(unsafeDowncast(info, to: Self.self), unsafeDowncast(observer, to: Observer.self), event.view(as: Event.self))
    }
}

extension HandlerInfo {
    @_alwaysEmitIntoClient
    package convenience init(event parts: InfoParts, _ handler: @escaping Function) {
        parts.expect(Argument.self)
        self.init(parts, handler) { info, observer, event in
            // SAFETY: only registrations of type `Self` store this closure. The call of `expect` above has checked that the observer list
            // delivers events of the type `Argument`.
            unsafe Self.handle(info, observer, event, as: SourceEvent<Argument>.self) { info, observer, occurrence in
                info.run(observer, occurrence.pointee.event)
                return true
            }
        }
    }
}

extension HandlerInfo {
    /// Makes a registration whose handler gets a value, which the delivering thread has read from the event.
    @_alwaysEmitIntoClient
    package convenience init(read parts: InfoParts, _ handler: @escaping Function) {
        self.init(parts, handler) { info, observer, event in
            // SAFETY: only registrations of type `Self` store this closure, and the values that they get have the type `Argument`.
            unsafe Self.handle(info, observer, event, as: Argument.self) { info, observer, value in
                info.run(observer, value.pointee)
                return true
            }
        }
    }
}

/// A registration whose handler takes the observer, the observed object and one argument.
@usableFromInline
package final class SubjectHandlerInfo<Observer: AnyObject, Subject: AnyObject, Argument>: ObservationInfo, HandlerKeeper,
    @unchecked Sendable
{
    // SAFETY: (of @unchecked Sendable) `handler` is written only by `init` and by `releaseHandler()`, which runs
    // after the last call of the handler.

    @usableFromInline package typealias Function = (_ observer: Observer, _ subject: Subject, _ argument: Argument) -> Void

    /// A noncopyable wrapper, so that a call does not retain the handler.
    @usableFromInline
    struct Handler: ~Copyable {
        @usableFromInline let function: Function?

        @_alwaysEmitIntoClient
        init(_ function: Function?) { self.function = function }

        @_alwaysEmitIntoClient
        @inline(__always)
        borrowing func callAsFunction(_ observer: Observer, _ subject: Subject, _ argument: Argument) {
            function?(observer, subject, argument)
        }
    }

    // SAFETY: (of the unchecked exclusivity) `releaseHandler()` writes the handler only after the last call of the
    // handler.
    @exclusivity(unchecked) @usableFromInline var handler: Handler

    @_alwaysEmitIntoClient
    package init(_ parts: InfoParts, _ handler: @escaping Function, invoke: @escaping Invoke) {
        unsafe self.handler = Handler(handler)
        super.init(parts, invoke: invoke)
    }

    @_alwaysEmitIntoClient
    package override func releaseHandler() { unsafe handler = Handler(nil) }

    package override func takeHandler() -> Any? {
        defer { releaseHandler() }
        return unsafe handler.function
    }

    /// Calls the handler with the observer, the observed object and the argument.
    ///
    /// `subject`, the observed object, must be a `Subject`. The sender of the event keeps the object alive.
    @unsafe @_alwaysEmitIntoClient @inline(__always)
    func run(_ observer: Observer, _ subject: Unretained<AnyObject>, _ argument: () -> Argument) {
        unsafe subject.with { unsafe handler(observer, unsafeDowncast($0, to: Subject.self), argument()) }
    }
}

extension SubjectHandlerInfo {
    @_alwaysEmitIntoClient
    package convenience init(event parts: InfoParts, _ handler: @escaping Function) {
        parts.expect(Argument.self)
        self.init(parts, handler) { info, observer, event in
            // SAFETY: only registrations of type `Self` store this closure. The call of `expect` above has checked that the observer list
            // delivers events of the type `Argument`.
            unsafe Self.handle(info, observer, event, as: SourceEvent<Argument>.self) { info, observer, occurrence in
                unsafe info.run(observer, occurrence.pointee.source) { occurrence.pointee.event }
                return true
            }
        }
    }
}

extension HandlerInfo {
    @_alwaysEmitIntoClient
    package convenience init(value parts: InfoParts, _ handler: @escaping Function) {
        parts.expect(Argument.self)
        self.init(parts, handler, invoke: Self.valueInvoke)
    }

    /// Returns `true` if the change `number` or a newer one was already delivered or skipped; otherwise stores `number`.
    ///
    /// The result for zero, which stands for a change without a number, is always `false`.
    @_alwaysEmitIntoClient
    @inline(__always)
    func isOvertaken(_ number: UInt64) -> Bool {
        if _fastPath(number > considered.load(ordering: .relaxed)) {
            considered.store(number, ordering: .relaxed)
            return false
        }
        if number == 0 { return false }
        noteOvertaken()
        return true
    }

    /// Returns `true` if the filter of duplicates leaves out the value of the change `number`.
    @_alwaysEmitIntoClient
    @inline(never)
    func leavesOut(_ value: Argument, of number: UInt64) -> Bool {
        let isOvertaken = { number != 0 && self.considered.load(ordering: .relaxed) > number }
        // SAFETY: this function runs only during a call of the handler, which keeps the filter alive. `Argument` is the type of the
        // handler's values.
        let isRepeated = unsafe withFilter(of: Argument.self) { $0.isRepeated(value, isOvertaken: isOvertaken) } ?? false
        // The filter may release the last delivered value, whose `deinit` may change the property again. So check again that `value` is
        // the newest.
        return isRepeated || isOvertaken()
    }

    @_alwaysEmitIntoClient
    package static var valueInvoke: Invoke {
        @inline(__always) get {
            { info, observer, event in
                // SAFETY: only registrations of type `Self` store this closure, and the values in their events have the type `Argument`.
                unsafe Self.handle(info, observer, event, as: KeyValueEvent<Argument>.self) { info, observer, change in
                    if info.isOvertaken(change.pointee.header.number) { return false }
                    guard let value = change.pointee.whole else { return false }
                    if info.flags.contains(.comparesValues), info.leavesOut(value, of: change.pointee.header.number) { return false }
                    info.run(observer, value)
                    return true
                }
            }
        }
    }
}

extension SubjectHandlerInfo {
    @_alwaysEmitIntoClient
    package convenience init<Value>(change parts: InfoParts, _ handler: @escaping Function) where Argument == KeyValueChange<Value> {
        parts.expect(Value.self)
        self.init(parts, handler, invoke: Self.changeInvoke(Value.self))
    }

    @_alwaysEmitIntoClient
    @inline(__always)
    package static func changeInvoke<Value>(_ type: Value.Type) -> Invoke where Argument == KeyValueChange<Value> {
        { info, observer, event in
            // SAFETY: only registrations of type `Self` store this closure, and the values in their events have the type `Value`.
            unsafe Self.handle(info, observer, event, as: KeyValueEvent<Value>.self) { info, observer, change in
                if info.leavesOut(change) { return false }
                unsafe info.run(observer, change.pointee.header.subject) { KeyValueChange(change, for: info) }
                return true
            }
        }
    }
}
