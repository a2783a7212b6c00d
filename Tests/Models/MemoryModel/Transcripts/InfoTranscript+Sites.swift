/// The sites of the state of an `ObservationInfo`.
extension InfoTranscript {
    static let file = "Delivery/Info/ObservationInfo.swift"
    static let start = Site(
        file, "init", "store", .relaxed, untranscribed: "The info is not published yet; transcripts begin with the word written.")
    static let isLinked = Site(file, "isLinked", "load", .relaxed)
    static let isLinkedAfter = Site(file, "isLinked", "load", .relaxed)
    static let deliveries = Site(file, "deliveries", "load", .relaxed)
    static let isOver = Site(file, "isOver", "load", .acquiring)
    static let isLogged = Site(file, "isLogged", "load", .relaxed)
    static let enter = Site(file, "enter", "wrappingAdd", .acquiringAndReleasing)
    static let leave = Site(file, "leave", "wrappingSubtract", .acquiringAndReleasing)
    static let leaveAsking = Site(file, "leaveAsking", "wrappingSubtract", .acquiringAndReleasing)
    static let uncount = Site(file, "uncountDelivery", "wrappingSubtract", .relaxed)

    static let endFile = "Delivery/Info/ObservationInfo+End.swift"
    static let changeLoad = Site(endFile, "changeState", "load", .relaxed)
    static let changeExchange = Site(endFile, "changeState", "compareExchange", .acquiringAndReleasing)

    static let threads = "Delivery/Info/ObservationInfo+Threads.swift"
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

    static let considered = Site("KeyValue/HandlerInfo.swift", "isOvertaken", "load", .relaxed)
    static let consider = Site("KeyValue/HandlerInfo.swift", "isOvertaken", "store", .relaxed)
    static let consideredInCall = Site("KeyValue/HandlerInfo.swift", "leavesOut", "load", .relaxed)

    static let sites = [
        start, isLinked, isLinkedAfter, deliveries, isOver, isLogged, enter, leave, leaveAsking, uncount, changeLoad, changeExchange,
        logEnd,
        notePause, wasPaused, resume, mark, takeMark, expect, arrive, pauseLoad, pause, pauseSerial, queueStarting, startLoad, startOver,
        startMark, considered, consider, consideredInCall, pausedInCall,
    ]
}
