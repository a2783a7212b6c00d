import LifetimeModel
import SafeKVO

/// What the objects of programs are: subjects and observers at once.
protocol ProgramThing: AutomaticObserver, SendableMetatype {
    /// Makes an object that says to the program's model when it goes, and that nobody may hear of then.
    init(_ id: Int, _ program: LiveProgram<Self>)

    func set(_ property: Property, to value: Int)
    func link(to other: Self?)

    static func observe(
        _ thing: Self?, _ key: Key, with controller: ObservationController<Self>, options: KeyValueObservingOptions, tag: ObservationTag?,
        ifAlreadyObserved: RepeatedObservation, handler: @escaping (_ phase: Phase, _ old: Int?, _ new: Int?) -> Void,
        onTermination: @escaping @Sendable (ObservationEndReason) -> Void
    ) -> ObservationResult

    static func unobserve(_ thing: Self?, _ key: Key, with controller: ObservationController<Self>, tag: ObservationTag?) -> Int
    static func unobserve(_ thing: Self?, _ keys: [Key], with controller: ObservationController<Self>, tag: ObservationTag?) -> Int
    static func unobserve(_ thing: Self?, with controller: ObservationController<Self>) -> Int

    /// What hangs on the object: the observations that somebody asked for, and those with which the library follows dependencies.
    var records: (observers: Int, dependencies: Int) { get }

    /// What was done since this was asked last that may never be done, if anything was.
    static func misuse() -> String?

    /// Whether a change is taken one key after the other.
    static var takesKeysOneByOne: Bool { get }
}

extension ProgramThing {
    static func misuse() -> String? { nil }

    static var takesKeysOneByOne: Bool { false }
}

extension Phase {
    init<Value>(_ change: KeyValueChange<Value>) {
        self = change.isInitial ? .initial : change.isPrior ? .prior : .after
    }
}
