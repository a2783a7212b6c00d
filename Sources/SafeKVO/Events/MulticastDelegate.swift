/// Several delegates of one protocol, none of which is kept.
///
/// ```swift
/// protocol ListDelegate: AnyObject { func listDidReload(_ list: List) }
///
/// let delegates = MulticastDelegate<any ListDelegate>()
/// delegates.add(view)
/// delegates.call { $0.listDidReload(self) }
/// ```
///
/// They are called in the order in which they were added. One that has gone is dropped; one that is removed during a call is not called any more,
/// one that is added during a call hears the next.
public final class MulticastDelegate<Delegate> {
    private let observers = ObserverRegistrar()

    /// Makes an empty list of delegates.
    public init() {}

    /// Adds a delegate behind the others.
    ///
    /// - Parameters:
    ///   - delegate: The delegate, an object. It is not retained.
    ///   - isolation: Leave it out: it tells where the delegate belongs.
    ///   - fileID: Leave it out: it tells diagnostics where the delegate was added.
    ///   - line: Leave it out, likewise.
    /// - Returns: whether it was added. One that is there stays where it is; what is no object is refused.
    /// - Complexity: O(*n*) for *n* delegates.
    @discardableResult
    public func add(
        _ delegate: Delegate, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationResult {
        guard let object = Self.object(delegate) else { return .refused(.noObject) }
        let registration = Registration(
            kind: .action, options: [], tag: nil, ifAlreadyObserved: .ignore, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onTermination: nil)
        return list().attach(object, to: self, registration) { parts in
            ObservationInfo(parts) { _, observer, event in
                // Nothing belongs to the handler that could be let go.
                guard let event, let delegate = observer as? Delegate else { return false }
                // SAFETY: the list is this class's own, and `call(_:)` alone delivers to it.
                unsafe event.assumingType(DelegateCall<Delegate>.self).pointee.body(delegate)
                return true
            }
        }
    }

    /// Removes a delegate.
    ///
    /// When it returns, no new call starts, not even in one of all delegates that is under way.
    ///
    /// - Parameter delegate: The delegate.
    /// - Returns: whether it was there.
    /// - Complexity: O(*n*) for *n* delegates.
    @discardableResult
    public func remove(_ delegate: Delegate) -> Bool {
        guard let object = Self.object(delegate) else { return false }
        return unsafe observers.sourceList?.object.detach(object) ?? false
    }

    /// Calls the delegates one after another, on this thread.
    ///
    /// - Parameter body: What to do with each.
    /// - Complexity: O(*n*) for *n* delegates.
    public func call(_ body: (_ delegate: Delegate) -> Void) {
        guard let list = observers.sourceList, var delivery = Delivery(to: list) else { return }
        withoutActuallyEscaping(body) { body in
            var call = DelegateCall(body: body)
            unsafe withUnsafePointer(to: &call) { pointer in
                // SAFETY: the pointer is used during the call only. No delegate has an initial call, so that no copy is made.
                delivery.deliver(unsafe EventPointer(UnsafeRawPointer(pointer)), onlyPrior: false) {
                    TypedEventBox<DelegateCall<Delegate>>(copying: $0)
                }
            }
        }
        delivery.finish()
    }

    private func list() -> ObserverList {
        let record = observers.record(of: self)
        return record.list(where: { _ in true }, orMake: { ObserverList(record: record, events: DelegateCall<Delegate>.self) })
    }

    private static func object(_ delegate: Delegate) -> AnyObject? {
        type(of: delegate as Any) is AnyClass ? delegate as AnyObject : nil
    }
}

/// What is being done with each delegate.
struct DelegateCall<Delegate> {
    let body: (Delegate) -> Void
}
