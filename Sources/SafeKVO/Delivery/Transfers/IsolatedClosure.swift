/// Keeps a closure that is isolated to a global actor, and releases the closure on that actor.
///
/// Such a closure is `Sendable`, but Swift lets it capture objects of its actor that are not. These must not be deallocated elsewhere.
@usableFromInline
final class IsolatedClosure<Function>: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) both properties are constant, and the closure is called and released only in its isolation.

    // SAFETY: (of the reference) `init` retains the object, and `deinit` gives that reference away.
    private let kept: Unretained<Kept>
    /// `nil` if the closure is isolated to no actor, so that any thread may release it.
    private let target: (any DeliveryTarget)?

    private final class Kept {
        let function: Function
        init(_ function: Function) { self.function = function }
    }

    init(_ function: Function, _ target: (any DeliveryTarget)?) {
        let object = Kept(function)
        kept = Unretained(object)
        unsafe kept.retain()
        self.target = target
        withExtendedLifetime(object) {}
    }

    @usableFromInline
    convenience init(_ function: Function, isolatedTo actor: (any Actor)?) {
        self.init(
            function,
            actor.map { actor -> any DeliveryTarget in actor === MainActor.shared ? MainActorTarget.shared : ActorTarget(actor) })
    }

    @usableFromInline
    var function: Function { unsafe kept.with { $0.function } }

    deinit {
        let kept = kept
        guard let target, !target.isCurrent else { return unsafe kept.release() }
        target.enqueue { unsafe kept.release() }
    }
}
