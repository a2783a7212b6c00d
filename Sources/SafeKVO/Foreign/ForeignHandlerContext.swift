/// A handler for changes of a type, behind the changes without one that other systems make.
final class ForeignHandlerContext<Value>: HandlerContext {
    private let context: HandlerContext
    private let handler: ObservationInfo.Invoke

    init(_ context: HandlerContext, _ handler: @escaping ObservationInfo.Invoke) {
        self.context = context
        self.handler = handler
        super.init()
    }

    /// Gives the values the type that the observer asked for, and calls the handler behind.
    static var invoke: ObservationInfo.Invoke {
        { context, info, observer, event in
            // SAFETY: an info with this way of calling was made with such a context, and hangs in a list of such events.
            let context = unsafe unsafeDowncast(context, to: ForeignHandlerContext.self)
            let event = unsafe event.assumingType(KeyValueEvent<ForeignValue>.self)
            var typed = unsafe context.typed(event.pointee, for: info)
            return unsafe withUnsafePointer(to: &typed) { pointer in
                // SAFETY: the pointer is used during the call only.
                context.handler(context.context, info, observer, unsafe EventPointer(UnsafeRawPointer(pointer)))
            }
        }
    }

    private func typed(_ event: KeyValueEvent<ForeignValue>, for info: ObservationInfo) -> KeyValueEvent<Value> {
        let subject = event.header.subject.object
        return KeyValueEvent(
            subject: subject, kind: event.header.kind, phase: event.header.phase, new: typed(event.new, info), old: typed(event.old, info),
            elements: event.header.elements, wholeNew: typed(event.wholeNew, info), wholeOld: typed(event.wholeOld, info))
    }

    private func typed(_ value: ForeignValue?, _ info: ObservationInfo) -> Value? {
        guard let value else { return nil }
        if let typed = value.typed(as: Value.self) { return typed }
        ObservationDiagnostics.warnOnce(
            .unexpectedType, at: info.position,
            "The value of \(info.list.object.name(in: nil)) is \(value.value.map { "\(type(of: $0))" } ?? "nil") and no \(Value.self), and is left out."
        )
        return nil
    }
}
