internal import CSafeKVO

/// The main actor: at once if this is where it runs.
final class MainActorTarget: DeliveryTarget {
    static let shared = MainActorTarget()

    var isCurrent: Bool { safekvo_is_on_main_actor() }

    func enqueue(_ job: @escaping @Sendable () -> Void) {
        Task { @MainActor in job() }
    }
}
