/// An event of a source on its way.
@usableFromInline
struct SourceEvent<Event> {
    // SAFETY: the registrar is stored in the source, and whoever notifies holds it as long as the delivery lasts.
    @usableFromInline let source: Unretained<AnyObject>
    @usableFromInline let event: Event

    @inlinable
    init(source: Unretained<AnyObject>, event: Event) {
        self.source = source
        self.event = event
    }
}
