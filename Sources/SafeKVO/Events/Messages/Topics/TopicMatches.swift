/// The lists that an event of a topic concerns, in a delivery that has pinned the record.
struct TopicMatches {
    private let about: FoundTopic?
    private let everything: Unretained<ObserverList>?
    /// Who is heard from.
    private let limit: UInt32
    var both: FoundTopic?
    var of: FoundTopic?

    init(about: FoundTopic?, everything: Unretained<ObserverList>?, limit: UInt32) {
        self.about = about
        self.limit = limit
        self.everything = everything.flatMap { $0.with { $0.isEmpty } ? nil : $0 }
    }

    var isEmpty: Bool { about == nil && everything == nil && both == nil && of == nil }

    /// Tells them an event.
    ///
    /// - Parameters:
    ///   - event: A pointer to the event, with its source.
    ///   - box: Makes a copy of the event.
    @inline(__always)
    func tell(_ event: EventPointer, box: (EventPointer) -> EventBox) {
        if let about, everything == nil, both == nil, of == nil {
            about.list.with { $0.deliver(event, onlyPrior: false, upTo: limit, hearsLate: true, box: box) }
        } else {
            var lists = [about, both, of].compactMap { found in found?.list.with { Unretained<ObserverList>($0) } }
            if let everything { lists.append(everything) }
            ObserverList.deliver(event, to: lists, upTo: limit, box: box)
        }
    }
}
