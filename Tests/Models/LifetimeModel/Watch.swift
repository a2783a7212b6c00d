/// An observation as the model sees it.
struct Watch {
    let controller: Int
    let observer: Int
    let subject: Int
    let key: Key
    let wish: Wish
    let outcome: Outcome
    /// Whether it keeps its subject.
    let retains: Bool
    /// Its number among all registrations.
    let serial: Int
    /// Its place among those of one key, which a replacement inherits.
    let order: Int
    /// Whether another thread than the program's own registered it.
    let isFromElsewhere: Bool
    var shots: Int
    /// How many calls are running.
    var running = 0
    /// Whether its initial call, or what arrived meanwhile, is under way.
    var isStarting: Bool
    /// What arrived during its initial call.
    var waiting: [Due] = []
    /// The reasons for one of which it has ended or must end now.
    var mayEndFor: [EndReason]?
    /// Whether its controller went, perhaps together with the subject, whichever came first.
    var endedWithController = false
    var wasToldEnd = false
    /// `true` if its captures may be kept: the object died, and the controller, which has the right to release them, has not been called since.
    var mayKeepCaptures = false
    var hasReleasedCaptures = false
    var hasReleasedSubject = false
    /// In what order observer, controller and subject were let go of while it was there.
    var lettings = ""
}
