import SafeKVO
import SafeKVODiagnostics
import SafeKVOTesting
import Testing

/// What diagnostics tell, whatever the source.
@Suite struct ContractDiagnosticsTests {
    let log = EventLog<String>()

    @Test(
        "Who observes an object, how often each was called, and where it registered, is known of every source",
        arguments: ContractSource.all)
    func itIsKnownWhoObservesAnObject(source: ContractSource) throws {
        let subject = source.makeSubject()
        #expect(ObservationDiagnostics.observations(of: subject).isEmpty)
        let (a, b) = (ContractObserver("a", log), ContractObserver("b", log))
        subject.observe(by: a)
        subject.cause(1)
        subject.observe(by: b, retaining: false, tag: "second")
        subject.cause(2)
        let found = ObservationDiagnostics.observations(of: subject)
        #expect(found.map(\.observer) == [ObjectIdentifier(a), ObjectIdentifier(b)])
        #expect(found.map(\.observerType) == ["ContractObserver", "ContractObserver"])
        #expect(found.map(\.subject) == [ObjectIdentifier(subject), ObjectIdentifier(subject)])
        #expect(found.map(\.tag) == [nil, "second"])
        #expect(found.map(\.retainsSubject) == [true, false])
        #expect(found.map(\.deliveries) == [2, 1])
        #expect(found.map(\.handler) == [.closure, .closure])
        #expect(found.allSatisfy { $0.position.fileID.hasPrefix("ContractTests/") && $0.position.line > 0 })
        subject.unobserve(by: a)
        #expect(ObservationDiagnostics.observations(of: subject).map(\.observer) == [ObjectIdentifier(b)])
        subject.unobserve(by: b, retaining: false, tag: "second")
        #expect(ObservationDiagnostics.observations(of: subject).isEmpty)
    }

    @Test("The leak check names what is left, and is content when nothing is", arguments: ContractSource.all)
    func theLeakCheckNamesWhatIsLeft(source: ContractSource) throws {
        let subject = source.makeSubject()
        try expectNoObservations(on: subject)
        let observer = ContractObserver("a", log)
        subject.observe(by: observer)
        let line = #line + 1
        let leak = #expect(throws: ObservationLeak.self) { try expectNoObservations(on: subject) }
        let message = try #require(leak).description
        #expect(message.hasPrefix("ContractTests/ContractDiagnosticsTests.swift:\(line): "))
        #expect(message.contains("  ContractObserver observes \(type(of: subject))."))
        #expect(leak?.observations.contains { $0.observer == ObjectIdentifier(observer) } == true)
        subject.unobserve(by: observer)
        try expectNoObservations(on: subject)
    }

    @Test("The controller and the object tell the same", arguments: ContractSource.all)
    func bothSidesTellTheSame(source: ContractSource) throws {
        let subject = source.makeSubject()
        let observer = ContractObserver("a", log)
        subject.observe(by: observer)
        subject.cause(1)
        let ofController = observer.retaining.observations.map(\.description)
        #expect(ofController.count == 1)
        #expect(ofController == ObservationDiagnostics.observations(of: subject).map(\.description))
    }

    @Test("Logging changes nothing that observers hear, from any source, in any isolation", arguments: ContractSource.all)
    func loggingChangesNothing(source: ContractSource) async {
        await #expect(processExitsWith: .success) { [name = source.description as String] in
            guard let source = ContractSource.all.first(where: { $0.description == name }) else {
                preconditionFailure("There is no \(name).")
            }
            let (log, logged) = (EventLog<String>(), EventLog<String>())
            ObservationDiagnostics.logHandler = { if $0.observation?.observerType == "ContractObserver" { logged.append("\($0.event)") } }
            let subject = source.makeSubject()
            let (a, b) = (ContractObserver("a", log), ContractObserver("b", log))
            subject.observe(by: a)
            subject.observe(by: b)
            subject.cause(1)
            subject.cause(2)
            try log.expect(["a 1", "b 1", "a 2", "b 2"])
            #expect(a.retaining.counters == ObservationCounters(delivered: 2))
            try logged.expect(["added", "added", "delivered", "delivered", "delivered", "delivered"])
            subject.unobserve(by: a)
            try log.expect(["a ended: removed"])
            withExtendedLifetime(b) {}
        }
    }

    @Test("In an object's deinit nobody observes it any more, and asking does no harm", arguments: ContractSource.all)
    func inDeinitNobodyObserves(source: ContractSource) throws {
        final class Owner {
            let subject: any ContractSubject
            let log: EventLog<String>
            init(_ subject: any ContractSubject, _ log: EventLog<String>) { (self.subject, self.log) = (subject, log) }
            deinit {
                log.append(
                    "\(ObservationDiagnostics.observations(of: self).count) and \(ObservationDiagnostics.observations(of: subject).count)")
            }
        }
        let observer = ContractObserver("a", log)
        var owner: Owner? = Owner(source.makeSubject(), log)
        owner?.subject.observe(by: observer)
        owner = nil
        try log.expect(["0 and 1"])
        #expect(observer.retaining.unobserveAll() == 1)
    }
}
