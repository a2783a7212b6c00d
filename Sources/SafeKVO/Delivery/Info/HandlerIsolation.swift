internal import CSafeKVO

/// The isolation of an actor, in which handlers run and values are read; does not retain the actor.
///
/// The actor's memory is kept, so that no other actor gets its address. A weak reference to an actor is `nil` as soon as the actor's `deinit`
/// begins, which still runs in the isolation.
package final class HandlerIsolation: Sendable {
    private static let mainActor = HandlerIsolation(MainActor.shared)

    // The two words of the actor's `unownedExecutor`.
    private let identity: UInt
    private let implementation: UInt
    private let isMainActor: Bool
    private weak let actor: (any Actor)?
    // SAFETY: this object keeps the memory, if Swift counts the references to the actor.
    private let memory: Unretained<AnyObject>?

    static func of(_ actor: any Actor) -> HandlerIsolation { actor === MainActor.shared ? mainActor : HandlerIsolation(actor) }

    private init(_ actor: any Actor) {
        self.actor = actor
        isMainActor = actor === MainActor.shared
        // SAFETY: an executor reference consists of two words. They are only compared with those of the executor that
        // runs this thread's task.
        (identity, implementation) = unsafe unsafeBitCast(actor.unownedExecutor, to: (UInt, UInt).self)
        // SAFETY: a class is its metadata, which is never freed.
        let isCounted = unsafe safekvo_is_counted_by_swift(unsafeBitCast(type(of: actor) as AnyClass, to: UnsafeRawPointer.self))
        memory = isCounted ? Unretained(actor as AnyObject) : nil
        unsafe memory?.retainMemory()
    }

    deinit { unsafe memory?.releaseMemory() }

    /// `true` if this thread runs code of the actor.
    ///
    /// The caller must hold no lock, because this property may release the last reference to the actor.
    var isCurrent: Bool {
        if isMainActor { return safekvo_is_on_main_actor() }
        // The function below may call a custom executor, so retain the actor, which alone keeps that executor alive. An `implementation`
        // of 0 means the default executor, of which only the address is compared.
        let kept = implementation == 0 && memory != nil ? nil : actor
        if implementation != 0 || memory == nil, kept == nil { return false }
        return withExtendedLifetime(kept) { safekvo_is_current_executor(identity, implementation) }
    }

    /// The place for jobs that are dropped if the actor can no longer be retained when they arrive.
    ///
    /// A job on its way does not retain the actor, which may be the observer.
    var target: any DeliveryTarget { isMainActor ? MainActorTarget.shared : HomeTarget(self) }

    /// The place for jobs that must not be dropped; `nil` if the actor can no longer be retained.
    var livingTarget: (any DeliveryTarget)? { isMainActor ? MainActorTarget.shared : actor.map { ActorTarget($0) } }

    /// Returns `true` if the other isolation is that of the same actor.
    func isSame(as other: HandlerIsolation) -> Bool {
        memory == other.memory && (memory != nil || actor.map { $0 === other.actor } ?? false)
    }

    /// A number that two isolations share if they are the same.
    var number: UInt { memory?.word ?? identity }

    /// Runs `job` in the isolation; returns `false` without running it if the actor can no longer be retained.
    @concurrent
    @discardableResult
    func run(_ job: @Sendable () -> Void) async -> Bool {
        SchedulePoint.pass(.jobArrived)
        guard let actor else { return false }
        await ActorTarget.run(job, on: actor)
        return true
    }
}
