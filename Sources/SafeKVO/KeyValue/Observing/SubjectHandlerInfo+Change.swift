extension SubjectHandlerInfo {
    /// Makes an info whose handler is told the object and the change.
    @inlinable
    convenience init<Value>(change parts: InfoParts, _ handler: @escaping Function) where Argument == KeyValueChange<Value> {
        parts.expect(Value.self)
        self.init(parts, handler, invoke: Self.changeInvoke(Value.self))
    }

    @inlinable
    @inline(__always)
    static func changeInvoke<Value>(_ type: Value.Type) -> Invoke where Argument == KeyValueChange<Value> {
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
