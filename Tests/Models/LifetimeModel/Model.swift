/// Says whether what happens while a program runs may happen.
///
/// It is told of each operation before and after, and of each call, end and death when it comes. Where the rules leave the order open it
/// follows; where they do not it objects, and remembers its first objection. It shares nothing with what it watches.
package final class Model {
    private static let mostOperations = 400
    private static let mostNesting = 8

    /// The first thing that may not be.
    package private(set) var failure: String?
    package internal(set) var histogram = Histogram()

    var things: [Thing] = []
    var controllers: [ControllerState] = []
    var watches: [Watch] = []
    /// The watches that have not ended.
    var active: [Int] = []
    var places: [Int?]
    var slots: [Int?]
    var frames: [Frame] = []
    /// The batch of the thread that runs.
    var batch: Batch?
    /// Those of the threads that wait.
    var waitingBatches: [Batch] = []
    private var operationCount = 0
    var depth = 0
    var elsewhereDepth = 0
    /// The objects of whose paths a thread may tell more, because others have left changes to it.
    var left: Set<Int> = []

    /// Whether a change is taken one key after the other, as other systems do: then a handler for one key may have set another value before the
    /// next key's is read, which both changes tell, and who comes in a handler for one key may hear of the next.
    let takesKeysOneByOne: Bool

    package init(takesKeysOneByOne: Bool = false) {
        self.takesKeysOneByOne = takesKeysOneByOne
        places = Array(repeating: nil, count: Program.places)
        slots = Array(repeating: nil, count: Program.slots)
    }

    package func fail(_ message: @autoclosure () -> String) {
        if failure == nil { failure = message() }
    }

    func check(_ condition: Bool, _ message: @autoclosure () -> String) {
        if !condition { fail(message()) }
    }

    /// Whether an operation is to be done at all.
    package func begin(_ operation: Operation) -> Bool {
        guard failure == nil, operationCount < Self.mostOperations, frames.count < Self.mostNesting * 2 else { return false }
        operationCount += 1
        return true
    }

    func count(_ sort: Operation.Sort) { histogram.count(sort, depth: depth) }

    /// Which controller a name names now.
    func controller(_ name: ControllerName) -> Int? {
        switch name {
        case .slot(let slot): return slots[slot]
        case .automatic(let place, let retaining):
            guard let thing = places[place] else { return nil }
            let index = retaining ? 0 : 1
            if let known = things[thing].automatic[index] { return known }
            controllers.append(
                ControllerState(observer: thing, retaining: retaining, isAutomatic: true, references: 1))
            things[thing].automatic[index] = controllers.count - 1
            return controllers.count - 1
        }
    }

    // MARK: References

    func retain(_ thing: Int) { things[thing].references += 1 }

    func release(_ thing: Int) { things[thing].references -= 1 }

    /// A controller is called, or ends: it releases what its observations have kept that ended by the death of their object.
    func letGo(_ controller: Int) {
        for index in watches.indices where watches[index].controller == controller { watches[index].mayKeepCaptures = false }
    }

    func releaseController(_ controller: Int) {
        controllers[controller].references -= 1
        guard controllers[controller].references == 0 else { return }
        letGo(controller)
        let isObserverGone = things[controllers[controller].observer].isDead
        for watch in active where watches[watch].controller == controller {
            watches[watch].endedWithController = true
            end(watch, [isObserverGone ? .observerDeinitialized : .controllerInvalidated])
        }
    }

    /// Ends a watch: it must be told soon, for one of the reasons.
    func end(_ watch: Int, _ reasons: [EndReason]) {
        guard watches[watch].mayEndFor == nil else { return }
        watches[watch].mayEndFor = reasons
        active.removeAll { $0 == watch }
        if watches[watch].running == 0 { releaseSubject(watch) }
    }

    func releaseSubject(_ watch: Int) {
        guard watches[watch].retains, !watches[watch].hasReleasedSubject else { return }
        watches[watch].hasReleasedSubject = true
        release(watches[watch].subject)
    }

    // MARK: Letting go

    /// Remembers in what order the parties of an observation were let go of.
    func note(_ party: Character, where matches: (Watch) -> Bool) {
        for index in watches.indices where watches[index].outcome.isObserving && matches(watches[index]) {
            if controllers[watches[index].controller].isAutomatic || watches[index].observer == watches[index].subject { continue }
            if watches[index].lettings.isEmpty, watches[index].mayEndFor != nil { continue }
            if watches[index].lettings.contains(party) { continue }
            watches[index].lettings.append(party)
            if watches[index].lettings.count == 3 {
                histogram.count(lettings: watches[index].lettings + (watches[index].retains ? " retaining" : " not retaining"))
            }
        }
    }

    func letGo(ofThing thing: Int) {
        note("o") { $0.observer == thing }
        note("s") { $0.subject == thing }
        release(thing)
    }

    // MARK: What must be so between operations

    /// Checks that what should have happened by now has.
    package func checkSettled() {
        if failure != nil { return }
        for (index, thing) in things.enumerated() where thing.references == 0 && !thing.isDead {
            fail("object \(index) is still there")
        }
        for (index, watch) in watches.enumerated() {
            if watch.running > 0 { fail("a call of observation \(index) has not ended") }
            if watch.mayEndFor != nil, !watch.wasToldEnd { fail("observation \(index) was not told its end") }
            let isOver = watch.mayEndFor != nil || !watch.outcome.isObserving
            if isOver != watch.hasReleasedCaptures, !watch.mayKeepCaptures {
                fail("observation \(index) \(isOver ? "keeps" : "has lost") its captures")
            }
        }
        check(frames.isEmpty && batch == nil && depth == 0, "something is still under way")
    }

    /// Checks that nothing is left.
    package func checkEnd() {
        if failure != nil { return }
        check(active.isEmpty, "observations are left: \(active)")
        check(things.allSatisfy { $0.isDead }, "objects are left")
    }

    /// How many observations hang on the object in a place, and whether the library follows it for others.
    package func records(place: Int) -> (observers: Int, isFollowed: Bool)? {
        guard let thing = places[place] else { return nil }
        let observers = active.count { watches[$0].subject == thing }
        let isFollowed = active.contains {
            let watch = watches[$0]
            if watch.subject == thing { return !watch.key.isPlain }
            return watch.key == .nextValue && things[watch.subject].next == thing
        }
        return (observers, isFollowed)
    }

    /// What the controller in a slot has counted, and how much it observes.
    package func state(slot: Int) -> (counters: Counters, observations: Int)? {
        guard let controller = slots[slot] else { return nil }
        return (controllers[controller].counters, active.count { watches[$0].controller == controller })
    }
}
