internal import Synchronization

/// The storage in which an ``AutomaticObserver`` keeps its controllers.
///
/// A slot takes two words, and allocates nothing until a controller is used.
public struct ObservationSlot: ~Copyable, Sendable {
    // SAFETY: (of the references below) a word is zero or the address of a `ControllerCore` that the slot retains. A word is set once.

    private let retaining = Atomic<UInt>(0)
    private let nonRetaining = Atomic<UInt>(0)

    /// Makes a slot without controllers.
    ///
    /// Nothing is allocated.
    public init() {}

    deinit {
        for word in [retaining.load(ordering: .acquiring), nonRetaining.load(ordering: .acquiring)] {
            guard let core = Unretained<ControllerCore>(word: word) else { continue }
            unsafe core.with { _ = $0.invalidate(for: .observerDeinitialized) }
            unsafe core.release()
        }
    }

    /// Returns the core of one of the observer's controllers, and makes the core if there is none.
    ///
    /// A core is the untyped part of a controller. All threads get the same core. If the slot is not stored in the observer itself, the
    /// program stops with a message.
    func core(of observer: AnyObject, retainsObserved: Bool, isShared: Bool = false) -> ControllerCore {
        retainsObserved ? Self.core(retaining, observer, true, isShared) : Self.core(nonRetaining, observer, false, isShared)
    }

    private static func core(
        _ word: borrowing Atomic<UInt>, _ observer: AnyObject, _ retainsObserved: Bool, _ isShared: Bool
    ) -> ControllerCore {
        if let core = Unretained<ControllerCore>(word: word.load(ordering: .acquiring)) {
            if unsafe !core.with({ $0.observerIdentity == ObjectIdentifier(observer) }) { refuse(type(of: observer)) }
            return unsafe core.object
        }
        if !StoredPlace(of: word).isInside(observer) { refuse(type(of: observer)) }
        let made = ControllerCore(observer: observer, retainsObserved: retainsObserved, isShared: isShared)
        let reference = Unretained(made)
        unsafe reference.retain()
        let (exchanged, original) = word.compareExchange(
            expected: 0, desired: reference.word, ordering: .acquiringAndReleasing)
        if exchanged {
            made.recordIfAsked()
            return made
        }
        unsafe reference.release()
        return unsafe Unretained<ControllerCore>(word: original)?.object ?? made
    }

    private static func refuse(_ type: AnyClass) -> Never {
        Mistake.stop(
            """
            `\(type).observationSlot` is not stored in the object itself. Declare it as a stored property: \
            `let observationSlot = ObservationSlot()`. A computed property, or the slot of another object, cannot be used.
            """)
    }
}
