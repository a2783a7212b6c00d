/// An event of a source on its way.
@usableFromInline
struct SourceEvent<Event> {
    // SAFETY: whoever notifies holds the source as long as the delivery lasts.
    @usableFromInline let source: Unretained<AnyObject>
    @usableFromInline let event: Event

    @inlinable
    init(source: AnyObject, event: Event) {
        self.source = Unretained(source)
        self.event = event
    }
}
