/// Writes to a property that threads share, and the announcements that go with them.
@usableFromInline
enum AtomicChange {
    /// Writes and tells the observers.
    @usableFromInline
    static func set<Value>(_ registrar: borrowing KeyValueRegistrar, of owner: AnyObject, _ cell: AtomicCell<Value>, to newValue: Value) {
        _ = write(registrar, of: owner, cell, newValue) { .some(cell.exchange(newValue)) }
    }

    /// Writes and tells the observers, unless another thread has written since.
    ///
    /// - Returns: whether it wrote.
    static func replace<Value>(
        _ registrar: borrowing KeyValueRegistrar, of owner: AnyObject, _ cell: AtomicCell<Value>, with newValue: Value,
        ifStill version: UInt64
    ) -> Bool {
        write(registrar, of: owner, cell, newValue) { cell.replace(with: newValue, ifStill: version) }
    }

    /// The write comes before the question who observes: an observer that registers meanwhile and reads the old value as its initial one is
    /// then found and told the new one.
    ///
    /// Only those who want a call before the write are asked for before it.
    private static func write<Value>(
        _ registrar: borrowing KeyValueRegistrar, of owner: AnyObject, _ cell: AtomicCell<Value>, _ newValue: Value,
        exchange: () -> Value?
    ) -> Bool {
        var delivery = delivery(registrar, cell)
        if delivery?.wantsPriorCalls ?? false {
            var event = KeyValueEvent(subject: owner, phase: .prior, new: newValue, old: cell.load())
            delivery = deliver(&event, delivery.take(), onlyPrior: true)
        }
        guard let old = exchange() else {
            delivery.take()?.finish()
            return false
        }
        if delivery == nil { delivery = Self.delivery(registrar, cell) }
        var event = KeyValueEvent(subject: owner, phase: .after, new: newValue, old: old)
        deliver(&event, delivery.take(), onlyPrior: false)?.finish()
        return true
    }

    private static func delivery<Value>(_ registrar: borrowing KeyValueRegistrar, _ cell: AtomicCell<Value>) -> Delivery? {
        PropertyAccess.list(registrar, cell.identity).flatMap { PropertyAccess.delivery(to: $0) }
    }

    private static func deliver<Value>(
        _ event: inout KeyValueEvent<Value>, _ delivery: consuming Delivery?, onlyPrior: Bool
    ) -> Delivery? {
        guard var delivery else { return nil }
        event.deliver(through: &delivery, onlyPrior: onlyPrior)
        return delivery
    }
}
