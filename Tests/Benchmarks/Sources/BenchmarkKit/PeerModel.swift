/// A subject as a peer has it: five numbers, one of which is set, and another of which may be observed.
///
/// The loops are the peer's own code, so that nothing of the kit stands between them and what is measured.
public protocol PeerModel: AnyObject, SendableMetatype {
    /// What subjects share.
    associatedtype World
    /// What an observation is held by.
    associatedtype Token

    /// Makes what subjects share, anew for each sample.
    static func makeWorld() -> World
    /// Makes a subject.
    init(_ world: World)
    /// Makes subjects and drops them.
    static func create(_ world: World, passes: Int) -> Int
    /// Sets the first number.
    func set(passes: Int) -> Int
    /// Gets the first number.
    func get(passes: Int) -> Int
    /// Adds the first number to the observer's, at each change, while the observer lives.
    func observe(_ view: PeerView) -> Token
    /// The same of the second number.
    func observeSecond(_ view: PeerView) -> Token
}

extension PeerModel where World == Void {
    /// Subjects that share nothing.
    public static func makeWorld() {}
}
