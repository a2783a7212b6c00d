/// What is measured of everybody: the name of the case is the name of SafeKVO's row.
///
/// Each has a row of SafeKVO's, and of each peer a row or the reason why it has none.
public enum Case: String, CaseIterable, Sendable, Codable, CodingKeyRepresentable {
    // Nobody observes.
    case setUnobserved = "set, nobody observes"
    case getUnobserved = "get, nobody observes"
    case creation = "create an object"
    case setBesideObserved = "set, another property is observed"
    case getObserved = "get, 1 observer"

    // One observer.
    case valueForm = "set, 1 observer: value form"
    case changeForm = "set, 1 observer: change form"
    case nothingCaptured = "set, 1 observer: nothing captured"
    case oldAndNew = "set, 1 observer: [.old, .new]"
    case prior = "set, 1 observer: .prior, each of 2 calls"
    case action = "set, 1 observer: action"
    case severalKeyPaths = "set, 1 observer: several key paths"
    case removingDuplicates = "set, 1 observer: removing duplicates"
    case duplicate = "set, 1 observer: a duplicate removed"
    case notRetaining = "set, 1 observer: not retaining"
    case mainActor = "set, 1 observer: on the main actor"
    case derived = "set, 1 observer: derived key path"
    case derivedOld = "set, 1 observer: derived key path, [.old, .new]"
    case nested = "set, 1 observer: nested key path"
    case nestedEnd = "set, 1 observer: nested key path of five hops, at the end"
    case nestedHead = "set, 1 observer: nested key path of five hops, at the head"

    // Several observers.
    case tenObservers = "set, each of 10 observers: value form"
    case hundredObservers = "set, each of 100 observers: value form"
    case thousandObservers = "set, each of 1000 observers: value form"
    case hundredObserversChange = "set, each of 100 observers: change form"

    // Batches and collections.
    case batch = "a batch of 10 sets, 1 observer: each set"
    case batchOfOne = "a batch of 1 set, 1 observer"
    case append1000 = "append + remove the last through the proxy, 1000 elements"
    case append1000000 = "append + remove the last through the proxy, 1000000 elements"
    case replace = "replace an element through the proxy, 1000 elements"
    case member = "insert + remove a member through the proxy, 1000 members"

    // Coming and going.
    case firstObservation = "first observation, each of 10000 objects"
    case addAndRemove = "add + remove, nobody else"
    case addAndRemoveElsewhere = "add + remove, key path first written elsewhere"
    case addAndRemoveInitial = "add + remove, .initial"
    case among1000OfSubject = "add + remove, 1000 others on the subject"
    case among100000OfSubject = "add + remove, 100000 others on the subject"
    case among1000OfController = "add + remove, 1000 others in the controller"
    case among100000OfController = "add + remove, 100000 others in the controller"
    case tearDownSubjects = "tear down, each of 10000 subjects of 1 observer"
    case tearDownObservers = "tear down, each of 10000 observers of 1 subject"

    // Bytes.
    case bytesOfObservers = "bytes an observation, 200000 observers of 1 subject"
    case bytesOfSubjects = "bytes an observation, 200000 subjects of 1 observer"
    case bytesOfIdleSubject = "bytes a subject pays that nobody observes"

    // Threads and isolation.
    case twoSubjects = "two threads, two subjects"
    case twoSubjectsProcessorTime = "two threads, two subjects, by processor time"
    case oneSubject = "two threads, one subject: each set"
    case sharedOnMainActor = "set of an atomic property on the main actor, 1 observer there: change form"
    case sharedOnMainActorOn = "set of an atomic property on the main actor, 1 observer there: change form, on: the main actor"
    case hopToMainActor = "set of an atomic property elsewhere, 1 observer on the main actor: each hop"
    case hopToActor = "set of an atomic property, 1 observer that is an actor: each hop"
    case sequence = "set of an atomic property, 1 sequence: each value taken"
    case sequenceInStep = "set of an atomic property, 1 sequence: each set waits until its value is taken"

    // Events.
    case send = "send, 1 observer"
    case post = "post, 1 observer"
    case postToMany = "post, each of 100 observers"
    case postToNobody = "post, nobody observes the name"
    case postToTwo = "post, each of 2 observers, of the name and of everything"
    case postNumber = "post of a number under a name, 1 observer"
    case postType = "post of a type, 1 observer"
    case postObject = "post, 1 observer of the name and object, 10000 others of theirs"
    case addAndRemoveName = "add + remove, a name"
    case addAndRemoveAmongNames = "add + remove, a name among 10000"
    case tearDownOneName = "tear down, each of 10000 observers of 1 name"
    case tearDownNames = "tear down, each of 10000 observers of 10000 names"

    // One view model, as a program has it.
    case viewModelChange = "view model, 1 observer: each of 1000 changes"
    case viewModelLife = "view model: make, observe, release"
    case viewModelBytes = "view model: bytes with its observations"

    /// The cases that have a table of their own.
    static let viewModel: [Case] = [.viewModelChange, .viewModelLife, .viewModelBytes]
}
