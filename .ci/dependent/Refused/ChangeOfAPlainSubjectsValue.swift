// error: type 'PlainDownload' does not conform to the 'Sendable' protocol
// SwiftFive: accepted
import SafeKVO

nonisolated final class PlainDownload: KeyValueObject {
    let progress = ObservedValue(0.0)
}

@MainActor func changeOfAPlainSubjectsValue(_ download: PlainDownload, _ observations: ObservationController<MainListener>) {
    #if LEGAL
        observations.observe(
            download.progress, \.value, options: .old, on: .mainActor { listener, _, change in listener.hear("\(change.oldValue ?? 0)") })
    #else
        observations.observe(
            download, \.progress.value, options: .old, on: .mainActor { listener, _, change in listener.hear("\(change.oldValue ?? 0)") })
    #endif
}
