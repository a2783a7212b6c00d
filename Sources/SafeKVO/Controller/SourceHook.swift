/// Tells a source of the observations that come and go.
final class SourceHook<Source: ObservationSource>: ObserverListHook {
    func didLink(_ info: ObservationInfo, to list: ObserverList) {
        source(of: list, info)?.observationDidBegin(info)
    }

    func didUnlink(_ info: ObservationInfo, from list: ObserverList) {
        source(of: list, info)?.observationDidEnd(info)
    }

    private func source(of list: ObserverList, _ info: ObservationInfo) -> Source? {
        // SAFETY: the record's subject is the source that the list was made for.
        list.record.subject(of: info).map { unsafe unsafeDowncast($0, to: Source.self) }
    }
}
