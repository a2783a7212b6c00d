/// Somebody who wants to know when infos come to a list and go from it, to begin and to end what it takes to notice changes.
///
/// The calls come after the fact, on the thread that caused it and under no lock, so that of two threads the later may be told first:
/// count, and do not toggle.
package protocol ObserverListHook: AnyObject {
    func didLink(_ info: ObservationInfo, to list: ObserverList)
    func didUnlink(_ info: ObservationInfo, from list: ObserverList)

    /// Another list has been hung in the record: called if the record says that somebody wants to know.
    func didMakeList()

    /// What the list is the list of, for people.
    var listName: String? { get }
}

extension ObserverListHook {
    package func didMakeList() {}
    package var listName: String? { nil }
}
