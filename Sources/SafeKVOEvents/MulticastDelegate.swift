public import SafeKVO

/// A list of delegates that conform to one protocol, and that are not retained.
///
/// ```swift
/// protocol ListDelegate: AnyObject { func listDidReload(_ list: List) }
///
/// let delegates = MulticastDelegate<any ListDelegate>()
/// delegates.add(view)
/// delegates.call { $0.listDidReload(self) }
/// ```
///
/// The delegates are called in the order in which they were added. A deallocated delegate leaves the list. If a delegate is removed while
/// `call` is running, it gets no further call. If a delegate is added while `call` is running, only the next `call` calls it.
public final class MulticastDelegate<Delegate> {
    private let observers = ObserverRegistrar()

    /// Makes an empty list of delegates.
    public init() {}

    /// Adds a delegate at the end of the list.
    ///
    /// - Parameter delegate: The delegate, which must be an object. It is not retained.
    /// - Returns: `ObservationResult.added` if the delegate was added. A delegate that is in the list already keeps its place. A value
    ///   that is not an object is refused.
    /// - Complexity: O(*n*) for *n* delegates.
    @discardableResult
    public func add(
        _ delegate: Delegate, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationResult {
        let registration = Registration(.action, [], nil, .ignore, isolation, fileID, line, nil)
        guard let object = Self.object(delegate) else {
            let position = registration.position
            ObservationDiagnostics.warnOnce(
                .refusedRegistration, at: position,
                "`\(type(of: delegate as Any))` at \(position) was not added to the delegates, because it is not a class. Pass an object.")
            return registration.refused(.noObject)
        }
        return list().attach(object, to: self, registration) { parts in
            ObservationInfo(parts) { _, observer, event in
                guard let delegate = observer as? Delegate else { return false }
                // SAFETY: Only `call(_:)` delivers to this list, and its events have this type.
                unsafe event.view(as: DelegateCall<Delegate>.self).pointee.body(delegate)
                return true
            }
        }
    }

    /// Removes a delegate.
    ///
    /// After this function returns, no new call to the delegate starts, not even in a `call` that is in progress.
    ///
    /// - Parameter delegate: The delegate.
    /// - Returns: `true` if the delegate was in the list.
    /// - Complexity: O(*n*) for *n* delegates.
    @discardableResult
    public func remove(_ delegate: Delegate) -> Bool {
        guard let object = Self.object(delegate) else { return false }
        return observers.record?.entireList?.detach(object) ?? false
    }

    /// Calls a closure with each delegate, one after another, on this thread.
    ///
    /// - Parameter body: The closure.
    /// - Complexity: O(*n*) for *n* delegates.
    public func call(_ body: (_ delegate: Delegate) -> Void) {
        guard let list = observers.sourceList, var delivery = Delivery(to: list, hearsLate: false) else { return }
        withoutActuallyEscaping(body) { body in
            // All delegates are called before `deliver` returns. So nothing copies the event, and `body` does not escape.
            EventPointer.with(DelegateCall(body: body)) { delivery.deliver($0, onlyPrior: false, box: $1) }
        }
        delivery.finish()
    }

    private func list() -> ObserverList {
        let record = observers.record(of: self)
        return record.entireList { ObserverList(record: record, events: DelegateCall<Delegate>.self) }
    }

    private static func object(_ delegate: Delegate) -> AnyObject? {
        type(of: delegate as Any) is AnyClass ? delegate as AnyObject : nil
    }
}

struct DelegateCall<Delegate> {
    let body: (Delegate) -> Void
}
