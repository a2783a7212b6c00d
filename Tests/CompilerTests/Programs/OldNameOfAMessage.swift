// error: 'RawMessage' has been renamed to 'NamedMessage'
import SafeKVO

#if LEGAL
    func program(_ message: NamedMessage) {}
#else
    func program(_ message: RawMessage) {}
#endif
