import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

/// What one thread sees of `@AtomicObserved`.
@MainActor @Suite struct AtomicObservedTests {
    final class Download: KeyValueObject, @unchecked Sendable {
        @AtomicObserved var received = 0
        @AtomicObserved var chunks: [Int] = []
        @AtomicObserved private(set) var failure: String?
        var progress: String { "\(received) in \(chunks.count)" }

        func fail(_ message: String?) { failure = message }
    }
    final class Observer: Sendable {}
    struct Failure: Error {}

    let download = Download()
    let observer = Observer()
    let log = EventLog<String>()

    @Test("Rules 1, 2: a write is told before the setter returns, with the value in place")
    func aWriteIsToldSynchronously() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(download, \.received, options: [.prior, .old, .new]) { _, download, change in
            log.append("\(change.told), the getter \(download.received)")
        }
        download.received = 1
        log.append("set")
        try log.expect(["prior old 0, the getter 0", "after old 0 new 1, the getter 1", "set"])
    }

    @Test("Operators and methods that change the value in place are a read and a write: one change")
    func aChangeInPlaceIsOneChange() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(download, \.received, options: [.old, .new]) { _, _, change in log.append(change.told) }
        observations.observe(download, \.chunks, options: [.old, .new]) { _, _, change in log.append(change.told) }
        download.received += 5
        download.chunks.append(1)
        download.chunks[0] = 2
        try log.expect(["after old 0 new 5", "after old [] new [1]", "after old [1] new [2]"])
    }

    @Test("Rule 36: the change carries exactly the value that it replaced, also if a prior handler writes")
    func aChangeCarriesTheValueItReplaced() throws {
        let observations = ObservationController(observer: observer)
        var hasWritten = false
        observations.observe(download, \.received, options: [.prior, .old, .new]) { _, download, change in
            log.append(change.told)
            if hasWritten { return }
            hasWritten = true
            download.received = 5
        }
        download.received = 1
        try log.expect(["prior old 0", "prior old 0", "after old 0 new 5", "after old 5 new 1"])
    }

    @Test("Rule 11: a set in a handler is nested")
    func aSetInAHandlerIsNested() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(download, \.received, options: [.old, .new], tag: "a") { _, download, change in
            log.append("a \(change.told)")
            if change.newValue == 1 { download.received = 2 }
        }
        observations.observe(download, \.received, options: [.old, .new], tag: "b") { _, _, change in log.append("b \(change.told)") }
        download.received = 1
        try log.expect(["a after old 0 new 1", "a after old 1 new 2", "b after old 1 new 2", "b after old 0 new 1"])
    }

    @Test("An update is one change and returns what its closure returns")
    func anUpdateIsOneChange() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(download, \.chunks, options: [.prior, .old, .new]) { _, _, change in log.append(change.told) }
        let count = download.$chunks.update { chunks in
            chunks.append(1)
            chunks.append(2)
            return chunks.count
        }
        #expect(count == 2)
        #expect(download.chunks == [1, 2])
        try log.expect(["prior old []", "after old [] new [1, 2]"])
    }

    @Test("An update that throws writes nothing and announces nothing")
    func anUpdateThatThrowsChangesNothing() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(download, \.chunks, options: [.prior, .old, .new]) { _, _, change in log.append(change.told) }
        #expect(throws: Failure.self) {
            try download.$chunks.update { chunks throws(Failure) in
                chunks.append(1)
                throw Failure()
            }
        }
        #expect(download.chunks == [])
        try log.expect([])
        download.$chunks.update { $0.append(2) }
        try log.expect(["prior old []", "after old [] new [2]"])
    }

    @Test("A value is exchanged if it is the expected one; otherwise nothing is written and nothing announced")
    func aValueIsExchangedIfItIsExpected() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(download, \.received, options: [.old, .new]) { _, _, change in log.append(change.told) }
        #expect(download.$received.compareExchange(expected: 1, desired: 2) == (false, 0))
        try log.expect([])
        #expect(download.$received.compareExchange(expected: 0, desired: 2) == (true, 0))
        #expect(download.$received.compareExchange(expected: 2, desired: 2) == (true, 2))
        #expect(download.received == 2)
        try log.expect(["after old 0 new 2", "after old 2 new 2"])
    }

    @Test("An observed value is updated and exchanged like an atomic property")
    func anObservedValueIsUpdatedAndExchanged() async throws {
        struct Refused: Error {}
        let observations = ObservationController(observer: observer)
        let value = ObservedValue(0)
        observations.observe(
            value, \.value, options: [.old, .new], on: .anyThread { [log] _, _, change in log.append(change.told) })
        let text = value.update { number in
            number += 1
            return "\(number)"
        }
        #expect(text == "1")
        #expect(throws: Refused.self) {
            try value.update { number throws(Refused) in
                number = 9
                throw Refused()
            }
        }
        #expect(value.compareExchange(expected: 0, desired: 2) == (false, 1))
        #expect(value.compareExchange(expected: 1, desired: 2) == (true, 1))
        try log.expect(["after old 0 new 1", "after old 1 new 2"])
        observations.invalidate()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { for _ in 0..<1000 { value.update { $0 += 1 } } }
            }
        }
        #expect(value.value == 4002)
    }

    @Test("Of threads that exchange one value, one does")
    func oneThreadExchanges() async {
        for _ in 0..<200 {
            let (download, winners) = (Download(), EventLog<Int>())
            await withTaskGroup(of: Void.self) { group in
                for number in 1...4 {
                    group.addTask {
                        if download.$received.compareExchange(expected: 0, desired: number).exchanged { winners.append(number) }
                    }
                }
            }
            #expect(winners.events == [download.received])
        }
    }

    @Test("An update works on a copy, under no lock: its closure may read the property, and is called again if another thread wrote it")
    func anUpdateIsRepeatedIfSomebodyWroteMeanwhile() throws {
        let download = download
        let observations = ObservationController(observer: observer)
        observations.observe(download, \.received, options: [.old, .new], on: .anyThread { _, _, change in log.append(change.told) })
        var attempts: [Int] = []
        download.$received.update { received in
            attempts.append(download.received)
            if attempts.count == 1 { OtherThread.run { download.received = 10 } }
            received += 1
        }
        #expect(attempts == [0, 10])
        #expect(download.received == 11)
        try log.expect(["after old 0 new 10", "after old 10 new 11"])
    }

    @Test("Rule 5: an update that must be repeated has one prior call, also if prior handlers write each time they are called")
    func aRepeatedUpdateHasOnePriorCall() throws {
        let observations = ObservationController(observer: observer)
        var writes = 0
        observations.observe(download, \.received, options: [.prior, .old, .new]) { _, download, change in
            log.append(change.told)
            if !change.isPrior || writes == 3 { return }
            writes += 1
            download.received = 10 * writes
        }
        var attempts: [Int] = []
        download.$received.update { received in
            attempts.append(received)
            received += 1
        }
        #expect(attempts == [0, 10])
        try log.expect([
            "prior old 0", "prior old 0", "prior old 0", "prior old 0", "after old 0 new 30", "after old 30 new 20",
            "after old 20 new 10", "after old 10 new 11",
        ])
    }

    @Test("Rules 26, 27: an assignment is part of an announcement of indexes once")
    func anAssignmentInsideAnAnnouncementOfIndexes() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(download, \.chunks, options: [.old, .new]) { _, _, change in log.append(change.told) }
        download.withChange(.insertion, valuesAt: RangeSet(0..<1), of: \.chunks) { download.chunks = [1] }
        try log.expect(["after insertion new [1] at 0..<1"])
    }

    @Test("Rule 6: an equal value is a change, in an update too")
    func anEqualValueIsAChange() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(download, \.received, options: [.old, .new]) { _, _, change in log.append(change.told) }
        download.received = 0
        download.$received.update { _ in }
        try log.expect(["after old 0 new 0", "after old 0 new 0"])
    }

    @Test("A property may be private to set, optional and without a first value")
    func anOptionalThatIsPrivateToSet() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(download, \.failure, options: [.initial, .old, .new]) { _, _, change in log.append(change.told) }
        download.fail("a")
        download.fail(nil)
        try log.expect(["initial new nil", #"after old nil new Optional("a")"#, #"after old Optional("a") new nil"#])
    }

    @Test("Rule 13: a computed property depends on atomic ones as on others")
    func aComputedPropertyDependsOnAtomicOnes() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(download, \.progress, options: [.initial, .old, .new]) { _, _, change in log.append(change.told) }
        download.received = 1
        download.$chunks.update { $0.append(1) }
        try log.expect(["initial new 0 in 0", "after old 0 in 0 new 1 in 0", "after old 1 in 0 new 1 in 1"])
    }

    @Test("Rule 9: an observer added in a prior handler does not hear the change; rule 10: a removed one does not either")
    func observersThatComeAndGoDuringAChange() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(download, \.received, options: .new, tag: "removed") { _, _, _ in log.append("removed") }
        observations.observe(download, \.received, options: .prior, tag: "prior") { _, download, change in
            guard change.isPrior else { return }
            observations.unobserve(download, \.received, tag: "removed")
            observations.observe(download, \.received, options: .new, tag: "added") { _, _, change in log.append("added \(change.told)") }
        }
        download.received = 1
        try log.expect([])
        download.received = 2
        try log.expect(["added after new 2"])
    }

    @Test("The old value is released when the change is over")
    func theOldValueIsReleased() throws {
        final class Node: Sendable {}
        final class Holder: KeyValueObject {
            @AtomicObserved var node: Node?
        }
        let tracker = LifetimeTracker()
        let holder = Holder()
        let observations = ObservationController(observer: observer)
        observations.observe(holder, \.node, options: [.prior, .old, .new]) { _, _, _ in }
        holder.node = tracker.track(Node())
        holder.node = tracker.track(Node())
        #expect(tracker.survivors.count == 1)
        holder.$node.update { $0 = nil }
        try tracker.expectAllGone()
    }
}
