// error: cannot convert value of type 'RemovingDuplicates<Int>' to expected argument type 'SharedRemovingDuplicates<Int>'
import SafeKVO

nonisolated func plainFilterOnAnyThread(_ subject: SharedSubject, _ observations: SharedObservationController<SharedListener>) {
    #if LEGAL
        let filter = SharedRemovingDuplicates<Int>.duplicates
    #else
        let filter = RemovingDuplicates<Int>.duplicates
    #endif
    observations.observe(subject, \.number, removing: filter, on: .anyThread { listener, number in listener.hear("\(number)") })
}
