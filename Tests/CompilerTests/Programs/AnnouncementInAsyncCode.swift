// error: instance method 'willChange' is unavailable from asynchronous contexts
import SafeKVO

final class Clock: KeyValueObject {
    private var file = 0
    var hour: Int { file }

    private func advance() {
        let change = willChange(\.hour)
        file += 1
        change.didChange()
    }

    func run() async {
        #if LEGAL
            advance()
        #else
            let change = willChange(\.hour)
            await Task.yield()
            _ = consume change
        #endif
        await Task.yield()
    }
}
