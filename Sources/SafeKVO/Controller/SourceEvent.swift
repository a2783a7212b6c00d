/// An event of a source on its way.
struct SourceEvent<Event> {
    // SAFETY: whoever notifies holds the source as long as the delivery lasts.
    let source: Unretained<AnyObject>
    let event: Event

    init(source: AnyObject, event: Event) {
        self.source = Unretained(source)
        self.event = event
    }
}
