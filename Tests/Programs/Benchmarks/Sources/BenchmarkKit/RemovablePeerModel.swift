/// A subject whose observers can leave.
public protocol RemovablePeerModel: PeerModel {
    /// Observes and ends it at once.
    func addAndRemove(_ view: PeerView, passes: Int) -> Int
    /// Ends observations.
    ///
    /// - Returns: how many there were.
    static func end(_ tokens: inout [Token]) -> Int
}
