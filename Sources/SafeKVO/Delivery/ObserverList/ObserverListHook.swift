/// An object that is notified when infos are added to a list and removed from it; an *info* is one registration.
///
/// It starts what is needed to notice changes of the key, and stops it after the last observer. The calls come after the fact, on the
/// thread that caused it, while no lock is held. Two threads may therefore call in either order, so an implementation must count the infos
/// rather than toggle a flag.
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
