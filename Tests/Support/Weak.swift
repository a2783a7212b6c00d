/// A weak reference.
package final class Weak<Object: AnyObject & Sendable>: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) written in `init` only.
    package private(set) weak var object: Object?
    package init(_ object: Object?) { self.object = object }
}
