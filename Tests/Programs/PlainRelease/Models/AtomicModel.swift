// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import SafeKVO

public final class Download: KeyValueObject, @unchecked Sendable {
    @AtomicObserved public var progress = 0
}
