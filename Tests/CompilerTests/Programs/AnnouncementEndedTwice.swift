// error: 'change' consumed more than once
import SafeKVO

final class Clock: KeyValueObject {
    private var file = 0
    var hour: Int { file }

    func advance() {
        let change = willChange(\.hour)
        file += 1
        change.didChange()
        #if !LEGAL
            change.didChange()
        #endif
    }
}
