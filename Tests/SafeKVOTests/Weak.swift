/// A weak reference.
final class Weak<Object: AnyObject & Sendable>: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) written in `init` only.
    private(set) weak var object: Object?
    init(_ object: Object?) { self.object = object }
}
