/// What belongs to a handler and goes with it: it is released at removal, as soon as no call is running, while the info may have to wait.
///
/// Subclasses hold the handler itself, with the types that it was written for.
@usableFromInline
class HandlerContext {
    @usableFromInline
    init() {}
}
