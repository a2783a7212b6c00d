// error: capture of 'list' with non-Sendable type 'List' in a '@Sendable' closure
import SafeKVO
import SafeKVOEvents

final class List {
    var names: [MessageName] = []
}

final class Log: Sendable {}

func program(_ center: MessageCenter, _ observations: ObservationController<Log>, _ list: List) {
    #if LEGAL
        observations.observe(center, for: "saved") { _, message in print(message.name) }
    #else
        observations.observe(center, for: "saved") { _, message in list.names.append(message.name) }
    #endif
}
