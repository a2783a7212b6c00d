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
    static func set<Owner: KeyValueObservable>(
        _ owner: Owner, _ cell: AtomicCell<Value>, to newValue: Value, keyPath: () -> ReferenceWritableKeyPath<Owner, Value>
    ) {
        var change = AtomicChange(cell)
        change.begin(owner, newValue, keyPath: keyPath) { cell.load() }
        change.finish(owner, old: cell.exchange(newValue), new: newValue, keyPath: keyPath)
    }

    /// Changes a copy and writes it unless another thread has written since; again and again until it has written.
    ///
    /// Those who want a call before the write get one, however often it takes.
    static func update<Owner: KeyValueObservable, Result, Failure: Error>(
        _ owner: Owner, _ cell: AtomicCell<Value>, _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var change = AtomicChange(cell)
        while true {
            let (value, version) = cell.versioned()
            var copy = value
            let result: Result
            do throws(Failure) {
                result = try body(&copy)
            } catch {
                change.cancel(owner)
                throw error
            }
            change.begin(owner, copy, keyPath: { nil }) { value }
            guard let old = cell.replace(with: copy, ifStill: version) else { continue }
            change.finish(owner, old: old, new: copy, keyPath: { nil })
            return result
        }
    }

    /// Calls those who want a call before the write, the first time.
    private mutating func begin<Owner: KeyValueObservable>(
        _ owner: Owner, _ new: Value, keyPath: () -> AnyKeyPath?, old: () -> Value
    ) {
        if isBegun { return }
        isBegun = true
        findObservers(owner, keyPath)
        guard var delivery = delivery.take() else { return }
        if delivery.wantsPriorCalls {
            var event = KeyValueEvent(subject: owner, phase: .prior, new: new, old: old())
            event.deliver(through: &delivery, onlyPrior: true)
        }
        self.delivery = consume delivery
    }

    private mutating func findObservers<Owner: KeyValueObservable>(_ owner: Owner, _ keyPath: () -> AnyKeyPath?) {
        guard let list = PropertyAccess.list(of: owner, cell.identity, events: Value.self, keyPath: keyPath) else { return }
        isSettled = true
        delivery = PropertyAccess.delivery(to: list)
    }

    private consuming func finish<Owner: KeyValueObservable>(_ owner: Owner, old: Value, new: Value, keyPath: () -> AnyKeyPath?) {
        if !isSettled { findObservers(owner, keyPath) }
        guard var delivery = delivery.take() else { return }
        var event = KeyValueEvent(subject: owner, phase: .after, new: new, old: old)
        event.deliver(through: &delivery, onlyPrior: false)
        delivery.finish()
    }

    private consuming func cancel<Owner: KeyValueObservable>(_ owner: Owner) {
        if isBegun, let list = PropertyAccess.list(of: owner, owner.keyValueRegistrar, cell.identity) {
            KeyValueEventHeader.tellDependents(.abandoned, of: owner, list)
        }
        delivery.take()?.finish()
    }
}
