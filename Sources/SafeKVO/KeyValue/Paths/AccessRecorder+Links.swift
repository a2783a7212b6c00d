/// Compares what an evaluation reads with the links of the path, and links the path to what is new.
///
/// Most evaluations read the same as the evaluation before, so each read is compared with the present links in their order.
extension AccessRecorder {
    // SAFETY: (of the unchecked exclusivity) as in `AccessRecorder.swift`.

    private static var fewLinks: Int { 16 }

    /// The property whose value is the result of the evaluation, if it is of one of the given types.
    func passed(_ types: (value: ObjectIdentifier, wrapped: ObjectIdentifier?)) -> Read {
        guard passed != .nothing, let link = unsafe links == nil ? expected[..<expectedReads].last : links?.last else { return .nothing }
        let events = link.withList { $0.events }
        return events == types.value || events == types.wrapped ? passed : .nothing
    }

    /// Ends the recording, and returns the links in the order of the reads; nil if they are those of the evaluation before.
    func takeLinks() -> [Link]? {
        if unsafe links == nil && expectedReads < expected.count { leaveExpectations() }
        unsafe expected = []
        returnToRoot()
        guard let made = unsafe links.take() else { return nil }
        known = [:]
        return made
    }

    /// Makes the path depend on a key, or on its manual notifications if it is no stored property.
    func follow(_ path: TrackedPath, _ list: ObserverList, in record: ObservationRecord) {
        let read = Read(of: list)
        if !expects(read.record, read.property) { link(path, list, read, in: record) }
    }

    func isLinked(to read: Read) -> Bool {
        if unsafe expectedReads < expected.count && expected[expectedReads].read == read {
            if unsafe links != nil { unsafe append(expected[expectedReads]) }
            unsafe expectedReads += 1
            return true
        }
        if evaluation == 0 { return joined != 0 && known[read] != nil }
        leaveExpectations()
        // Nothing else uses `links` while a link is looked for: to compare reads runs no code of the program.
        if let place = unsafe expected.count <= Self.fewLinks ? expected.firstIndex(where: { $0.read == read }) : nil {
            unsafe append(expected[place])
            unsafe expectedReads = max(expectedReads, place + 1)
            return true
        }
        guard let link = link(to: read) else { return false }
        append(link)
        return true
    }

    private func link(to read: Read) -> Link? {
        let made = unsafe links ?? []
        if unsafe expected.count <= Self.fewLinks && made.count <= Self.fewLinks { return made.first { $0.read == read } }
        if known.isEmpty { for link in unsafe expected + made { known[link.read] = link } }
        return known[read]
    }

    private func append(_ link: Link) {
        link.lastRead = evaluation
        unsafe links?.append(link)
    }

    private func leaveExpectations() {
        if unsafe links != nil { return }
        unsafe links = []
        for link in unsafe expected[..<expectedReads] { append(link) }
    }

    func link(_ path: TrackedPath, _ list: ObserverList, _ read: Read, in record: ObservationRecord) {
        let isOfSubject = record.isRecord(of: path.subject)
        var flags: InfoFlags = read.property == .max ? .onlyByHand : []
        if isOfSubject { flags.insert(.ofSameSubject) }
        guard let link = path.link(list, read, flags, for: self) else { return }
        append(link)
        if joined != 0 || !known.isEmpty { known[read] = link }
    }
}
