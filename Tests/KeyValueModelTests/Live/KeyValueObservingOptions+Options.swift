import KeyValueModel
import SafeKVO

extension KeyValueObservingOptions {
    init(_ options: Options) {
        self = []
        if options.contains(.new) { insert(.new) }
        if options.contains(.old) { insert(.old) }
        if options.contains(.initial) { insert(.initial) }
        if options.contains(.prior) { insert(.prior) }
    }
}
