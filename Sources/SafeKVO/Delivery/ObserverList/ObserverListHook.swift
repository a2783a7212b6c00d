/// Is notified of each registration that is added to a list or removed from it, for example to start and stop a poll.
///
/// No lock is held during the calls. The calls of two threads may come in either order, so count the registrations instead of
/// toggling a flag.
package protocol ObserverListHook: AnyObject {
    func didLink(_ info: ObservationInfo, to list: ObserverList)
    func didUnlink(_ info: ObservationInfo, from list: ObserverList)

    /// Called under the lock of the record while a registration is removed; returns what must be done after the unlocking.
    func noteUnlinking(_ info: ObservationInfo) -> (() -> Void)?

    /// Called where the registration lets go of what it keeps, before that.
    func willLetGo(_ info: ObservationInfo, of list: ObserverList)

    /// Takes out what the key has kept for its observers, if none of them needs it any more.
    ///
    /// The caller may let go of what the registration has kept, or moves it to a hold.
    func takeUnwanted(of info: ObservationInfo) -> AnyObject?

    var listName: String? { get }

    /// `true` if the key is a key path that reads an `@AtomicObserved` property.
    var readsAtomic: Bool { get }

    /// Where the value of the key can be read; `nil` if this thread may read it.
    var homeElsewhere: (any DeliveryTarget)? { get }

    /// Calls a closure that reads the value of the key; returns `nil` if it cannot be read now, so that whoever can read it notifies the observers.
    func whenReadable(_ read: () -> EventBox?) -> EventBox?
}

extension ObserverListHook {
    package func didLink(_ info: ObservationInfo, to list: ObserverList) {}
    package func didUnlink(_ info: ObservationInfo, from list: ObserverList) {}
    package func noteUnlinking(_ info: ObservationInfo) -> (() -> Void)? { nil }
    package func willLetGo(_ info: ObservationInfo, of list: ObserverList) {}
    package func takeUnwanted(of info: ObservationInfo) -> AnyObject? { nil }
    package var listName: String? { nil }
    package var readsAtomic: Bool { false }
    package var homeElsewhere: (any DeliveryTarget)? { nil }
    package func whenReadable(_ read: () -> EventBox?) -> EventBox? { read() }
}
