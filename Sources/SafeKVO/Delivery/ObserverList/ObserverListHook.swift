/// An object that is notified when registrations are added to a list or removed from it.
///
/// It starts to look for changes of the key, and stops after the last observer. It is notified afterwards, on the thread that added or
/// removed the registration, while no lock is held. Two threads may make these calls in either order. So an implementation must count the
/// registrations, not toggle a flag.
package protocol ObserverListHook: AnyObject {
    func didLink(_ info: ObservationInfo, to list: ObserverList)
    func didUnlink(_ info: ObservationInfo, from list: ObserverList)

    /// Called when another list has been added to the record, if the record has observers of `\.self`.
    func didMakeList()

    /// A name of the observed key, for diagnostics.
    var listName: String? { get }
}

extension ObserverListHook {
    package func didMakeList() {}
    package var listName: String? { nil }
}
