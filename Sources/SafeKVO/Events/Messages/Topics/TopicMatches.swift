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
        // SAFETY: (also below) the delivery has pinned the record, which keeps the lists that were found.
        self.everything = everything.flatMap { unsafe $0.with { $0.isEmpty } ? nil : $0 }
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
            unsafe about.list.with { $0.deliver(event, onlyPrior: false, upTo: limit, hearsLate: true, box: box) }
        } else {
            var lists = [about, both, of].compactMap { found in unsafe found?.list.with { Unretained<ObserverList>($0) } }
            if let everything { lists.append(everything) }
            ObserverList.deliver(event, to: lists, upTo: limit, box: box)
        }
    }

    /// Notifies some of them of an event.
    ///
    /// - Parameters:
    ///   - audience: Which observers; not all.
    ///   - event: A pointer to the event, with its source.
    ///   - box: Makes a copy of the event.
    func tell(_ audience: TopicAudience, _ event: EventPointer, box: (EventPointer) -> EventBox) {
        let named = [about, both].compactMap { found in unsafe found?.list.with { Unretained<ObserverList>($0) } }
        let everyName = unsafe [everything, of?.list.with { Unretained<ObserverList>($0) }].compactMap { $0 }
        switch audience {
        case .everybody: tell(event, box: box)
        case .named(let boundary, let present):
            ObserverList.deliver(event, to: named + everyName, upTo: present, box: box) { list, info in
                list < named.count || info.comes(after: boundary)
            }
        case .everyName(let boundary, let present):
            ObserverList.deliver(event, to: everyName, upTo: present, box: box) { _, info in !info.comes(after: boundary) }
        }
    }
}
