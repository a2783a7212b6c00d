internal import CSafeKVO

extension ControllerCore {
    @inline(never)
    func warnOfIgnored(_ registration: borrowing Registration, _ first: SourcePosition, _ list: ObserverList) {
        let (function, position) = (registration.function, registration.position)
        ObservationDiagnostics.warnOnce(
            .ignoredRegistration, at: position,
            """
            `\(function)(_:\(list.keyPath == nil ? "" : "\\.\(list.name)"))` at \(position) was ignored: `\(observerType)` already \
            observes `\(list.qualifiedName)` (\(first)). Pass `tag:` to keep both or `ifAlreadyObserved: .replace`.
            """)
    }

    /// Warns about a controller that is deallocated by the statement that made it, because the program did not store it.
    @inline(__always)
    func warnIfUnkept(madeAt position: SourcePosition) {
        if safekvo_last_controller() == Unretained(self).word { examineEnd(madeAt: position) }
    }

    @inline(never)
    private func examineEnd(madeAt position: SourcePosition) {
        safekvo_set_last_controller(0)
        let infos = infos()
        guard let first = infos.first, !isObserverGone else { return }
        for info in infos where info.position != position || info.deliveries > (info.flags.contains(.initialCall) ? 1 : 0) { return }
        let name = first.withList { $0.qualifiedName }
        ObservationDiagnostics.warnOnce(
            .unkeptController, at: position,
            """
            The `ObservationController` that was made at \(position) was deallocated by the same statement, so its observation of `\(name)` has ended. \
            Store the controller for as long as it must observe, usually in a property of `\(observerType)`.
            """)
    }
}
