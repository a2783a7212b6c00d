/// The sites of the state of an `ObservationInfo`.
extension InfoTranscript {
    static let file = "Delivery/Info/ObservationInfo.swift"
    static let start = Site(
        file, "init", "store", .relaxed, untranscribed: "The info is not published yet; transcripts begin with the word written.")
    static let deinitLoad = Site(
        file, "deinit", "load", .relaxed, untranscribed: "Nobody else has the object any more, so that any order does.")
    static let isLinked = Site(file, "isLinked", "load", .relaxed)
    static let isLinkedAfter = Site(file, "isLinked", "load", .relaxed)
    static let deliveries = Site(file, "deliveries", "load", .relaxed)
    static let isOver = Site(file, "isOver", "load", .acquiring)
    static let isLogged = Site(file, "isLogged", "load", .relaxed)
    static let enter = Site(file, "enter", "wrappingAdd", .acquiringAndReleasing)
    static let leave = Site(file, "leave", "wrappingSubtract", .acquiringAndReleasing)
    static let leaveAsking = Site(file, "leaveAsking", "wrappingSubtract", .acquiringAndReleasing)
    static let uncount = Site(file, "uncountDelivery", "wrappingSubtract", .relaxed)
    static let removeLoad = Site(file, "markRemoved", "load", .relaxed)
    static let removeExchange = Site(file, "markRemoved", "compareExchange", .acquiringAndReleasing)
    static let disposeLoad = Site(file, "dispose", "load", .acquiring)
    static let disposeExchange = Site(file, "dispose", "compareExchange", .acquiringAndReleasing)
    static let notifyEnd = Site(file, "notifyEnd", "load", .relaxed)
    static let finish = Site(file, "finishRemoval", "load", .acquiring)

    static let threads = "Delivery/Info/ObservationInfo+Threads.swift"
    static let visitLoad = Site(threads, "visit", "load", .relaxed)
    static let visitExchange = Site(threads, "visit", "compareExchange", .acquiringAndReleasing)
    static let endVisit = Site(threads, "endVisit", "wrappingSubtract", .acquiringAndReleasing)
    static let logEnd = Site(threads, "logEnd", "bitwiseAnd", .relaxed)

    static let resume = Site(threads, "resume", "bitwiseAnd", .acquiringAndReleasing)
    static let mark = Site(threads, "mark", "bitwiseOr", .acquiringAndReleasing)
    static let takeMark = Site(threads, "takeMark", "bitwiseAnd", .acquiringAndReleasing)

    static let expect = Site(threads, "expectAtHome", "bitwiseOr", .acquiringAndReleasing)
    static let arrive = Site(threads, "arriveAtHome", "bitwiseAnd", .acquiringAndReleasing)

    static let queues = "Delivery/ObserverList/ObservationRecord+Queues.swift"
    static let pauseLoad = Site(queues, "pause", "load", .relaxed)
    static let pause = Site(queues, "pause", "bitwiseOr", .acquiringAndReleasing)
    static let pauseSerial = Site(queues, "pause", "store", .releasing)
    static let queueStarting = Site(queues, "queue", "load", .relaxed)
    static let startLoad = Site(queues, "endStart", "load", .relaxed)
    static let startOver = Site(queues, "endStart", "bitwiseAnd", .acquiringAndReleasing)

    static let startMark = Site("Controller/ControllerCore.swift", "register", "load", .relaxed)

    static let notePause = Site(threads, "notePause", "store", .releasing)
    static let wasPaused = Site(threads, "wasPaused", "load", .acquiring)
    static let pausedInCall = Site("KeyValue/RemovingDuplicates.swift", "isPaused", "load", .acquiring)

    static let queueLogged = Site("Delivery/Info/EndQueue.swift", "append", "bitwiseAnd", .relaxed)

    static let considered = Site("KeyValue/HandlerInfo.swift", "isOvertaken", "load", .relaxed)
    static let consider = Site("KeyValue/HandlerInfo.swift", "isOvertaken", "store", .relaxed)
    static let consideredInCall = Site("KeyValue/HandlerInfo.swift", "leavesOut", "load", .relaxed)

    static let sites = [
        start, deinitLoad, isLinked, isLinkedAfter, deliveries, isOver, isLogged, enter, leave, leaveAsking,
        uncount, removeLoad, removeExchange, disposeLoad, disposeExchange, notifyEnd, finish, visitLoad, visitExchange, endVisit, logEnd,
        notePause, wasPaused, resume, mark, takeMark, expect, arrive, pauseLoad, pause, pauseSerial, queueStarting, startLoad, startOver,
        startMark,
        queueLogged, considered, consider, consideredInCall, pausedInCall,
    ]
}
