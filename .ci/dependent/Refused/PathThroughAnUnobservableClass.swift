// error: instance method 'observe(_:_:initial:removing:tag:ifAlreadyObserved:isolation:fileID:line:column:handler:onTermination:)' requires that 'UnobservableDownload' conform to 'KeyPathObservable'
import SafeKVO

nonisolated final class UnobservableDownload: Sendable {
    let progress = ObservedValue(0.0)
}

@MainActor func pathThroughAnUnobservableClass(_ download: UnobservableDownload, _ observations: ObservationController<MainListener>) {
    #if LEGAL
        observations.observe(download.progress, \.value) { listener, progress in listener.hear("\(progress)") }
    #else
        observations.observe(download, \.progress.value) { listener, progress in listener.hear("\(progress)") }
    #endif
}
