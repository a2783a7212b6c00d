public import Synchronization

extension HandlerInfo {
    /// Makes an info whose handler is told new values.
    @inlinable
    package convenience init(value parts: InfoParts, _ handler: @escaping Function) {
        parts.expect(Argument.self)
        self.init(parts, handler, invoke: Self.valueInvoke)
    }

    /// Takes note that the value of a change is considered, unless that of a newer one was.
    ///
    /// - Parameter number: The number of the change; zero if it has none.
    /// - Returns: `true` if a newer value was considered, or this one, so that this is not handed over.
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
                // SAFETY: the info is one of these, it hangs in a list with such events, under a controller of such an observer.
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
                    // To release the value that was told before may make a newer change, too.
                    if info.leavesOut(value, isOvertaken: isOvertaken) || isOvertaken() { return false }
                }
                unsafe info.handler(unsafeDowncast(observer, to: Observer.self), value)
                return true
            }
        }
    }
}

extension SubjectHandlerInfo {
    /// Makes an info whose handler is told the object and the change.
    @inlinable
    package convenience init<Value>(change parts: InfoParts, _ handler: @escaping Function) where Argument == KeyValueChange<Value> {
        parts.expect(Value.self)
        self.init(parts, handler, invoke: Self.changeInvoke(Value.self))
    }

    @inlinable
    @inline(__always)
    package static func changeInvoke<Value>(_ type: Value.Type) -> Invoke where Argument == KeyValueChange<Value> {
        { info, observer, event in
            // SAFETY: the info is one of these, it hangs in the list of such an object, under a controller of such an observer.
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
