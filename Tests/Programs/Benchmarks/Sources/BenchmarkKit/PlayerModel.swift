/// A view model as a program has it: three properties, a computed one, a nested object, and a list that is edited in place.
///
/// Each contender writes it as its users do. The changes are the same for all. They are inlinable, so that they are compiled in the
/// contender's module, for the contender's class.
public protocol PlayerModel: AnyObject, SendableMetatype {
    /// The nested object.
    associatedtype Track: PlayerTrack
    /// What the observations are held by.
    associatedtype Token

    /// A property.
    var title: String { get set }
    /// A property.
    var volume: Int { get set }
    /// A property.
    var isPlaying: Bool { get set }
    /// Computed from two properties.
    var isAudible: Bool { get }
    /// The nested object.
    var track: Track { get set }
    /// The list.
    var queue: [Int] { get set }

    /// Makes a view model.
    init()
    /// Lets a screen observe all six values.
    func show(on screen: PlayerScreen) -> Token
    /// Called after each change; does nothing unless the contender needs it.
    func didChange()
    /// Changes something a thousand times.
    func changeThousandTimes() -> Int
}

/// The nested object of a view model.
public protocol PlayerTrack: AnyObject {
    /// A property.
    var rating: Int { get set }

    /// Makes a track.
    init()
}

extension PlayerModel {
    /// Does nothing.
    @inlinable
    public func didChange() {}

    /// Changes something a thousand times.
    @inlinable
    public func changeThousandTimes() -> Int {
        let tracks = [Track(), Track()]
        for pass in 0..<100 { changeTenTimes(pass, tracks[pass & 1]) }
        return queue.count
    }

    /// Makes ten changes, each of which somebody observes.
    @inlinable
    @inline(never)
    func changeTenTimes(_ pass: Int, _ next: Track) {
        title = pass & 1 == 0 ? "Aria" : "Finale"
        didChange()
        isPlaying = true
        didChange()
        volume = pass & 7
        didChange()
        queue.append(pass)
        didChange()
        track.rating = pass & 3
        didChange()
        queue[0] = pass
        didChange()
        track = next
        didChange()
        volume &+= 1
        didChange()
        queue.removeLast()
        didChange()
        isPlaying = false
        didChange()
    }
}

/// The rows of one view model.
public struct PlayerRows<Model: PlayerModel> {
    private static var bytesCount: Int { 20_000 }

    /// Makes rows for a class.
    public init(_: Model.Type) {}

    /// The rows of a peer.
    public func all(_ contender: Contender) -> [Benchmark] {
        all { "\(contender.name): \($0.rawValue)" }.map { $0.0.by(contender, [$0.1]) }
    }

    /// The rows by name, each with its case.
    public func all(named name: (Case) -> String) -> [(Benchmark, Case)] {
        [
            (
                .loop(name(.viewModelChange), parts: 1000) {
                    let (model, screen) = (Model(), PlayerScreen())
                    let token = model.show(on: screen)
                    consume(model.changeThousandTimes())
                    Self.verify(model, screen)
                    return { passes in
                        var sum = 0
                        for _ in 0..<passes { sum &+= model.changeThousandTimes() }
                        return withExtendedLifetime(token) { sum &+ screen.volume }
                    }
                }, .viewModelChange
            ),
            (
                .loop(name(.viewModelLife)) {
                    { passes in
                        let screen = PlayerScreen()
                        for _ in 0..<passes {
                            let model = Model()
                            let token = model.show(on: screen)
                            withExtendedLifetime((model, token)) {}
                        }
                        return screen.volume
                    }
                }, .viewModelLife
            ),
            (
                .value(name(.viewModelBytes), .bytes, rounds: 2) {
                    let screens = (0..<Self.bytesCount).map { _ in PlayerScreen() }
                    let growth = Heap.growth {
                        screens.map { screen in
                            let model = Model()
                            return (model, model.show(on: screen))
                        }
                    }
                    withExtendedLifetime((screens, growth.built)) {}
                    return Double(growth.bytes) / Double(Self.bytesCount)
                }, .viewModelBytes
            ),
        ]
    }

    /// A row about a screen that misses a change would be fast.
    private static func verify(_ model: Model, _ screen: PlayerScreen) {
        precondition(screen.title == model.title && screen.volume == model.volume && screen.isPlaying == model.isPlaying)
        precondition(screen.isAudible == model.isAudible && screen.queueCount == model.queue.count)
        model.volume = 5
        model.didChange()
        model.isPlaying = true
        model.didChange()
        precondition(screen.isAudible, "the computed property was not observed")
        model.track.rating = 7
        model.didChange()
        precondition(screen.rating == 7, "the nested object was not observed")
        model.queue.append(1)
        model.didChange()
        precondition(screen.queueCount == model.queue.count, "the list was not observed")
        model.queue.removeLast()
        model.didChange()
    }
}
