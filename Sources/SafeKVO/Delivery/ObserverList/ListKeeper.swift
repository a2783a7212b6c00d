/// A subject that keeps lists of observers itself, because their keys come and go.
package protocol ListKeeper: AnyObject {
    /// All that hangs in those lists.
    var keptInfos: [ObservationInfo] { get }
}
