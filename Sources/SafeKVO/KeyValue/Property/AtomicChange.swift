/// A write to a property that threads share, and the announcements that go with it.
///
/// The write comes before the question who observes: an observer that registers meanwhile and reads the old value as its initial one is
/// then found and told the new one. Only those who want a call before the write are asked for before it.
@usableFromInline
struct AtomicChange<Value>: ~Copyable {
    private let cell: AtomicCell<Value>
    private var delivery: Delivery?
    /// Whether there were observers when it began, so that it is settled how the change is announced.
    private var isSettled = false
    private var isBegun = false

    private init(_ cell: AtomicCell<Value>) {
        self.cell = cell
    }

    /// Writes and tells the observers.
    @usableFromInline
    static func set(_ registrar: borrowing KeyValueRegistrar, of owner: AnyObject, _ cell: AtomicCell<Value>, to newValue: Value) {
        var change = AtomicChange(cell)
        change.begin(registrar, owner, newValue) { cell.load() }
        change.finish(registrar, owner, old: cell.exchange(newValue), new: newValue)
    }

    /// Changes a copy and writes it unless another thread has written since; again and again until it has written.
    ///
    /// Those who want a call before the write get one, however often it takes.
    static func update<Result, Failure: Error>(
        _ registrar: borrowing KeyValueRegistrar, of owner: AnyObject, _ cell: AtomicCell<Value>,
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var change = AtomicChange(cell)
        while true {
            let (value, version) = cell.versioned()
            var copy = value
            let result: Result
            do throws(Failure) {
                result = try body(&copy)
            } catch {
                change.cancel(registrar, owner)
                throw error
            }
            change.begin(registrar, owner, copy) { value }
            guard let old = cell.replace(with: copy, ifStill: version) else { continue }
            change.finish(registrar, owner, old: old, new: copy)
            return result
        }
    }

    /// Calls those who want a call before the write, the first time.
    private mutating func begin(_ registrar: borrowing KeyValueRegistrar, _ owner: AnyObject, _ new: Value, old: () -> Value) {
        if isBegun { return }
        isBegun = true
        findObservers(registrar)
        guard var delivery = delivery.take() else { return }
        if delivery.wantsPriorCalls {
            var event = KeyValueEvent(subject: owner, phase: .prior, new: new, old: old())
            event.deliver(through: &delivery, onlyPrior: true)
        }
        self.delivery = consume delivery
    }

    private mutating func findObservers(_ registrar: borrowing KeyValueRegistrar) {
        guard let list = PropertyAccess.list(registrar, cell.identity) else { return }
        isSettled = true
        delivery = PropertyAccess.delivery(to: list)
    }

    private consuming func finish(_ registrar: borrowing KeyValueRegistrar, _ owner: AnyObject, old: Value, new: Value) {
        if !isSettled { findObservers(registrar) }
        guard var delivery = delivery.take() else { return }
        var event = KeyValueEvent(subject: owner, phase: .after, new: new, old: old)
        event.deliver(through: &delivery, onlyPrior: false)
        delivery.finish()
    }

    private consuming func cancel(_ registrar: borrowing KeyValueRegistrar, _ owner: AnyObject) {
        if isBegun, let list = PropertyAccess.list(registrar, cell.identity) {
            KeyValueEventHeader.tellDependents(.abandoned, of: owner, list)
        }
        delivery.take()?.finish()
    }
}
