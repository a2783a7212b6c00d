// error: conformance of 'ChangeAnnouncement<Object, Value>' to 'Sendable' is unavailable
import SafeKVO

final class Clock: KeyValueObject {
    private var file = 0
    var hour: Int { file }

    func end<Change: ~Copyable>(_ change: consuming Change) {}
    func send<Change: ~Copyable & Sendable>(_ change: consuming Change) {}

    func advance() {
        let change = willChange(\.hour)
        file += 1
        #if LEGAL
            end(change)
        #else
            send(change)
        #endif
    }
}
