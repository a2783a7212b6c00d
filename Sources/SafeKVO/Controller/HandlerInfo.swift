public import Synchronization

/// An observation with a handler that takes the observer and what it is told.
///
/// What is told of an event, and how it is taken out of it, is said where such infos are made: by the `invoke` that they are made with. It is formed where
/// the types are known, so that they need not be looked up at each call.
@usableFromInline
final class HandlerInfo<Observer: AnyObject, Argument>: ObservationInfo, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) see ``ObservationInfo``.

    @usableFromInline typealias Function = (_ observer: Observer, _ argument: Argument) -> Void

    /// The handler, which is called where it is, without being retained.
    @usableFromInline
    struct Handler: ~Copyable {
        @usableFromInline let function: Function

        @inlinable
        init(_ function: @escaping Function) { self.function = function }

        @inlinable
        @inline(__always)
        borrowing func callAsFunction(_ observer: Observer, _ argument: Argument) { function(observer, argument) }
    }

    // SAFETY: (of the unchecked exclusivity) replaced once no call is inside and none will be.
    @exclusivity(unchecked) @usableFromInline var handler: Handler

    /// The number of the newest change whose value was considered: handed over, or left out because it equals the one before.
    @usableFromInline let considered = Atomic<UInt64>(0)

    @inlinable
    init(_ parts: InfoParts, _ handler: @escaping Function, invoke: @escaping Invoke) {
        unsafe self.handler = Handler(handler)
        super.init(parts, invoke: invoke)
    }

    /// Lets the handler go.
    @inlinable
    @inline(__always)
    func releaseHandler() { unsafe handler = Handler { _, _ in } }
}
