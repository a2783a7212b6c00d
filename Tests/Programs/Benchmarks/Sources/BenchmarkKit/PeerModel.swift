/// A subject as a peer has it: five numbers, one of which is set, and another of which may be observed.
///
/// One operation is one call of a function that is not inlined, as in SafeKVO's rows. The loops are inlinable, so that a peer's module has
/// them as its own code.
public protocol PeerModel: AnyObject, SendableMetatype {
    /// What subjects share.
    associatedtype World
    /// What an observation is held by.
    associatedtype Token

    /// Makes what subjects share, anew for each sample.
    static func makeWorld() -> World
    /// Makes a subject.
    init(_ world: World)
    /// Makes a subject, in a function that is not inlined.
    static func make(_ world: World) -> Self
    /// Sets the first number, in a function that is not inlined.
    func assign(_ value: Int)
    /// Gets the first number, in a function that is not inlined. A fence in it keeps the optimiser from merging the calls.
    func read() -> Int
    /// Makes so many subjects and drops them.
    static func create(_ world: World, passes: Int) -> Int
    /// Sets the first number so many times.
    func set(passes: Int) -> Int
    /// Gets the first number so many times.
    func get(passes: Int) -> Int
    /// Adds the first number to the observer's, at each change, while the observer lives.
    func observe(_ view: PeerView) -> Token
    /// The same of the second number.
    func observeSecond(_ view: PeerView) -> Token
}

extension PeerModel {
    /// Makes so many subjects and drops them.
    @inlinable
    public static func create(_ world: World, passes: Int) -> Int {
        for _ in 0..<passes { consume(make(world)) }
        return passes
    }

    /// Sets the first number so many times.
    @inlinable
    public func set(passes: Int) -> Int {
        for pass in 0..<passes { assign(pass) }
        return passes
    }

    /// Sets the first number to the same value so many times.
    @inlinable
    public func setEqual(passes: Int) -> Int {
        for _ in 0..<passes { assign(1) }
        return passes
    }

    /// Gets the first number so many times.
    @inlinable
    public func get(passes: Int) -> Int {
        var sum = 0
        for _ in 0..<passes { sum &+= read() }
        return sum
    }
}

extension PeerModel where World == Void {
    /// Subjects that share nothing.
    public static func makeWorld() {}
}
