public import Synchronization

extension HandlerInfo {
    /// Creates a registration whose handler takes new values.
    @inlinable
    package convenience init(value parts: InfoParts, _ handler: @escaping Function) {
        parts.expect(Argument.self)
        self.init(parts, handler, invoke: Self.valueInvoke)
    }

    /// Returns `true` if a value must be skipped, because its change or a newer one was delivered or skipped before.
    ///
    /// `number` is the number of the change. If the result is `false`, the number is stored for later calls. A change without a number
    /// (zero) is never skipped.
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
                // SAFETY: only registrations of type `Self` have this closure. So `Observer` and `Argument` are the types of `observer` and
                // of the value.
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
                    // `leavesOut` may release the last delivered value, whose `deinit` may make a newer change. So check afterwards that
                    // `value` is still the newest.
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
            // SAFETY: only registrations of type `Self` have this closure. So `Observer`, `Subject` and `Value` are the types of
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
