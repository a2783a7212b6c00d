/// An object that is notified after a registration was added to a list or removed from it.
///
/// So the object can check the key for changes while the list has observers. No lock is held during the calls. If one
/// thread adds a registration while another removes one, the calls may come in either order. So an implementation must
/// count the registrations, not toggle a flag.
package protocol ObserverListHook: AnyObject {
    func didLink(_ info: ObservationInfo, to list: ObserverList)
    func didUnlink(_ info: ObservationInfo, from list: ObserverList)

    /// Called when the observed object gets another observer list, if the object has observers of `\.self`.
    func didMakeList()

    var listName: String? { get }
}

extension ObserverListHook {
    package func didMakeList() {}
    package var listName: String? { nil }
}
