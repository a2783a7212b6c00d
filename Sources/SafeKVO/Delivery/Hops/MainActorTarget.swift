internal import CSafeKVO

/// The main actor: at once if this is where it runs.
package final class MainActorTarget: DeliveryTarget {
    package static let shared = MainActorTarget()

    package var isCurrent: Bool { safekvo_is_on_main_actor() }

    package func enqueue(_ job: @escaping @Sendable () -> Void) {
        Task { @MainActor in job() }
    }
}
