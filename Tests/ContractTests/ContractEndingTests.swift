import SafeKVO
import SafeKVOTesting
import Testing

/// What an observation leaves behind, whatever the source, whoever observes, and however it ends: nothing.
@Suite struct ContractEndingTests {
    let log = EventLog<String>()

    @Test(
        "Rules 31 and 39: an observation hears one event, ends, and whoever comes later hears everything", arguments: ContractSource.all,
        ContractEnding.all)
    func whoeverComesLaterHearsEverything(source: ContractSource, ending: ContractEnding) throws {
        let subject = source.makeSubject()
        let (other, late) = (ContractObserver("other", log), ContractObserver("late", log))
        if !ending.isLast { subject.observe(by: other, retaining: ending.retains) }
        // Twice: what was followed before and is followed again is followed as well as at first.
        for round in [10, 20] {
            let others = { (number: Int) in ending.isLast ? [] : ["other \(number)"] }
            subject.observeAndEnd(ending, round, log)
            subject.cause(round + 1)
            try log.expect(others(round) + ["a \(round)", "a ended: \(ending.reason)"] + others(round + 1))
            subject.observe(by: late, retaining: ending.retains)
            subject.cause(round + 2)
            subject.unobserve(by: late, retaining: ending.retains)
            try log.expect(others(round + 2) + ["late \(round + 2)", "late ended: removed"])
        }
    }

    @Test(
        "Rule 31: when the last observation has ended, nothing is left to follow the subject", arguments: ContractSource.all,
        ContractEnding.all)
    func nothingIsLeft(source: ContractSource, ending: ContractEnding) throws {
        let subject = source.makeSubject()
        let other = ContractObserver("other", log)
        if !ending.isLast { subject.observe(by: other, retaining: ending.retains) }
        subject.observeAndEnd(ending, 1, log)
        if !ending.isLast { subject.unobserve(by: other, retaining: ending.retains) }
        let left = ObservationDiagnostics.observations(of: subject, includingDependencies: true)
        #expect(left.isEmpty)
    }

    @Test("A source hears of each end as it heard of the beginning", arguments: ContractEnding.all)
    func attachAndDetachAreCalledInPairs(ending: ContractEnding) {
        let bell = Doorbell()
        let other = ContractObserver("other", log)
        if !ending.isLast { bell.observe(by: other, retaining: ending.retains) }
        bell.observeAndEnd(ending, 1, log)
        #expect((bell.attachments, bell.detachments) == (ending.isLast ? 1 : 2, 1))
        bell.observeAndEnd(ending, 2, log)
        if !ending.isLast { bell.unobserve(by: other, retaining: ending.retains) }
        #expect((bell.attachments, bell.detachments) == (ending.isLast ? (2, 2) : (3, 3)))
    }

    @Test("A source hears of a replacement as of a beginning and an end", arguments: [true, false])
    func aReplacementIsABeginningAndAnEnd(retaining: Bool) {
        let bell = Doorbell()
        let observer = ContractObserver("a", log)
        bell.observe(by: observer, retaining: retaining)
        bell.observe(by: observer, retaining: retaining, ifAlreadyObserved: .replace)
        #expect((bell.attachments, bell.detachments) == (2, 1))
        bell.unobserveAll(by: observer, retaining: retaining)
        #expect((bell.attachments, bell.detachments) == (2, 2))
    }
}
