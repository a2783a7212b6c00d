import SafeKVO
import SafeKVOEvents
import SafeKVOTesting
import TestSupport
import Testing

/// Rule 40b: handlers that are registered in no isolation, and properties that any thread may change.
@Suite struct ContractNoIsolationTests {
    class Download: KeyValueObject, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) no test changes a plain property on another thread than its own.
        @AtomicObserved var progress = 0
        @AtomicObserved var parts = [1]
        @Observed var name = "a"
        @Observed var inner: Download?
        var percent: String { "\(progress) %" }
        var innerProgress: Int { inner?.progress ?? -1 }
        var title: String { "title" }

        override class func keyPathsForValuesAffectingValue(for key: ObservedKeyPath) -> Set<AnyKeyPath> {
            key == \Download.title ? [\Download.progress] : []
        }
    }
    final class Movie: Download, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) as above.
        override var name: String {
            get { super.name + percent }
            set { super.name = newValue }
        }
    }

    final class Observer: KeyValueObserver, Sendable {
        let log = EventLog<String>()

        func hear() { log.append("heard") }
        func hear(_ change: KeyValueChange<Int>) { log.append("heard") }
        func hear(_ change: KeyValueChange<Int>, _ download: Download) { log.append("heard") }
        func hearAny(_ change: AnyKeyValueChange) { log.append("heard") }
        func observeChange(_ change: AnyKeyValueChange, of object: AnyObject, context: Int) { log.append("heard") }
    }

    let download = Download()
    let observer = Observer()
    let observations: ObservationController<Observer>
    let log = EventLog<String>()

    init() {
        Warnings.listen()
        observations = ObservationController(observer: observer)
    }

    // MARK: Forms

    @Test("Rule 40b: each form without on: refuses an atomic property, with one warning that names the line and both cures")
    func eachFormRefuses() {
        let all: KeyValueObservingOptions = [.initial, .prior, .old, .new]
        let forms: [(Download) -> [ObservationResult]] = [
            { [observations.observe($0, \.progress) { observer, _ in observer.hear() }] },
            { [observations.observe($0, \.progress, options: all) { observer, _, _ in observer.hear() }] },
            { [observations.observe($0, \.progress, action: { observer in { observer.hear() } })] },
            { [observations.observe($0, \.progress, action: { observer in { _ in observer.hear() } })] },
            { [observations.observe($0, \.progress, options: all, action: { observer in { observer.hear($0) } })] },
            { [observations.observe($0, \.progress, options: all, action: { observer in { observer.hear($0, $1) } })] },
            { [observations.observe($0, \.progress, options: all, context: 1)] },
            { [observations.onChange(of: $0, \.progress) { observer, _, _ in observer.hear() }] },
            { [observations.observeOnce($0, \.progress, where: { _ in true }) { observer, _ in observer.hear() }] },
            { [observations.observe($0, \.progress, until: { _ in true }) { observer, _ in observer.hear() }] },
            { observations.observeEach($0, [\.progress], options: all) { observer, _, _ in observer.hear() } },
            { observations.observeEach($0, [\.progress], options: all, action: { observer in { observer.hear() } }) },
            { observations.observeEach($0, [\.progress], options: all, context: 1) },
        ]
        let first: UInt = #line - UInt(forms.count) - 1
        for (index, form) in forms.enumerated() {
            let download = Download()
            #expect(form(download) == [.refused(.noIsolation)], "form \(index)")
            download.progress = 1
            #expect(ObservationDiagnostics.observations(of: download).isEmpty)
            let line = first + UInt(index)
            let messages = Warnings.messages(line...line)
            #expect(Warnings.about(line...line) == ["refusedRegistration 0"], "form \(index)")
            #expect(messages.allSatisfy { $0.contains("`Download.progress`") && $0.contains("ContractNoIsolationTests.swift:\(line)") })
            #expect(messages.allSatisfy { $0.contains("`on: .anyThread { … }`") && $0.contains("the main actor") })
        }
        #expect(observer.log.events.isEmpty)
        #expect(observations.observations.isEmpty)
        #expect(observations.counters == ObservationCounters())
    }

    @Test("Rule 40b: a token and a binding are ended from the start, and the warning says so")
    func tokensAreEnded() {
        let line: UInt = #line + 1
        let tokens = [
            download.observation(of: \.progress) { [log] _, _ in log.append("heard") },
            download.observation(of: \.progress, options: [.initial, .new]) { [log] _, _ in log.append("heard") },
            bind(download, \.progress, to: Download(), \.progress, initial: false),
        ]
        download.progress = 1
        #expect(ObservationDiagnostics.observations(of: download).isEmpty)
        #expect(log.events.isEmpty)
        #expect(Warnings.about(line...line + 3) == (1...3).map { "refusedRegistration \($0)" })
        withExtendedLifetime(tokens) {}
    }

    @Test("Rule 40b: what is Sendable or isolated is accepted, and hears")
    func whatIsProtectedIsAccepted() async throws {
        let (download, log) = (download, log)
        let values = download.sharedValues(of: \.progress)
        let any = observations.observe(download, \.progress, on: .anyThread { [log] _, value in log.append("any thread \(value)") })
        #expect(any == .added)
        try await MainActor.run {
            let view = Observer()
            let ofView = ObservationController(observer: view)
            let result1 = ofView.observe(download, \.progress) { [log] _, value in log.append("main actor \(value)") }
            #expect(result1 == .added)
            download.progress = 1
            try log.expect(["any thread 0", "main actor 0", "any thread 1", "main actor 1"])
        }
        var iterator = values.makeAsyncIterator()
        #expect(await [iterator.next(), iterator.next()] == [0, 1])
    }

    @Test("Rules 40b, 46: a sequence that is not shared is refused, and has ended from the start")
    func sequencesAreRefused() async {
        let line: UInt = #line + 1
        let (values, changes) = (observations.values(of: download, \.progress), download.changes(of: \.progress))
        download.progress = 1
        var heard = 0
        for await _ in values { heard += 1 }
        for await _ in changes { heard += 1 }
        #expect(heard == 0)
        #expect(Warnings.about(line...line) == ["refusedRegistration 0"])
    }

    // MARK: Key paths

    private func expectRefusal<Value>(
        of keyPath: KeyPath<Download, Value>, in download: Download, _ what: Comment, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let result = observations.observe(download, keyPath) { observer, _ in observer.hear() }
        #expect(result == .refused(.noIsolation), what, sourceLocation: sourceLocation)
    }

    @Test("Rule 40b: so does each key path whose first evaluation reads one", arguments: [false, true])
    func eachKeyPathRefuses(isKnown: Bool) {
        let movie = Movie()
        movie.inner = Download()
        let others = ObservationController(observer: observer)
        if isKnown {
            others.observe(movie as Download, \.progress, on: .anyThread { _, _ in })
            others.observe(movie as Download, \.parts, on: .anyThread { _, _ in })
            others.observe(movie as Download, \.percent, on: .anyThread { _, _ in })
            others.observe(movie as Download, \.inner?.progress, on: .anyThread { _, _ in })
            others.observe(movie as Download, \.title, on: .anyThread { _, _ in })
            others.observe(movie as Download, \.name, on: .anyThread { _, _ in })
        }
        expectRefusal(of: \.progress, in: movie, "an inherited property")
        expectRefusal(of: \.parts, in: movie, "a collection")
        expectRefusal(of: \.parts.count, in: movie, "a part of a collection")
        expectRefusal(of: \.percent, in: movie, "a computed property")
        expectRefusal(of: \.inner?.progress, in: movie, "an optional chain")
        expectRefusal(of: \.inner!.parts, in: movie, "a nested path to a collection")
        expectRefusal(of: \.innerProgress, in: movie, "a getter that reads another object")
        expectRefusal(of: \.title, in: movie, "a declared dependency")
        expectRefusal(of: \.name, in: movie, "an override that reads more")
        movie.mutableArrayValue(for: \.parts).append(2)
        let result2 = observations.observe(movie, \.progress) { observer, _ in observer.hear() }
        #expect(result2 == .refused(.noIsolation))
        #expect(observer.log.events.isEmpty && observations.observations.isEmpty)
        others.unobserveAll()
        #expect(movie.observationRecords == (0, 0))
    }

    @Test("Rule 40b: a plain property of the same object is accepted, before and after a refusal")
    func plainPropertiesAreAccepted() {
        let result3 = observations.observe(download, \.name) { observer, name in observer.log.append(name) }
        #expect(result3 == .added)
        expectRefusal(of: \.progress, in: download, "the property")
        let result4 = observations.observe(download, \.name, tag: "again") { observer, name in observer.log.append("again \(name)") }
        #expect(result4 == .added)
        download.name = "b"
        #expect(observer.log.events == ["a", "again a", "b", "again b"])
    }

    @Test("Rule 40b: a refusal does not depend on what the controller already has, nor on its end")
    func aRefusalIsAlwaysTheSame() {
        let result5 = observations.observe(download, \.progress, on: .anyThread { [log] _, value in log.append("\(value)") })
        #expect(result5 == .added)
        expectRefusal(of: \.progress, in: download, "beside an observation of the same pair")
        let line: UInt = #line + 1
        let result = observations.observe(download, \.progress, ifAlreadyObserved: .replace) { observer, _ in observer.hear() }
        #expect(result == .refused(.noIsolation))
        #expect(Warnings.about(line...line) == ["refusedRegistration 0"])
        download.progress = 1
        #expect(log.events == ["0", "1"])
    }

    // MARK: Later

    @Test("Rule 40b: a path that begins to read one later hears everything else; its changes are counted, reported and not handed over")
    func aPathThatReadsOneLater() {
        let inner = Download()
        let line: UInt = #line + 1
        let result = observations.observe(download, \.inner?.progress, options: [.old, .new]) { observer, _, change in
            observer.log.append(change.told)
        }
        #expect(result == .added)
        download.inner = inner
        inner.progress = 1
        OtherThread.run { inner.progress = 2 }
        inner.$progress.update { $0 += 1 }
        #expect(observer.log.events == ["after old nil new Optional(0)"])
        #expect(observations.counters == ObservationCounters(delivered: 1, wrongIsolation: 3))
        #expect(Warnings.about(line...line) == ["misplacedChange 0"])
        #expect(Warnings.messages(line...line).allSatisfy { $0.contains("on: .anyThread") && $0.contains("the main actor") })
        let other = Download()
        download.inner = other
        inner.progress = 4
        download.inner = nil
        #expect(
            observer.log.events == [
                "after old nil new Optional(0)", "after old Optional(0) new Optional(0)", "after old Optional(0) new nil",
            ])
        expectRefusal(of: \.percent, in: download, "another path")
        observations.unobserveAll()
        #expect([download, inner, other].allSatisfy { $0.observationRecords == (0, 0) })
    }

    @Test("Rule 40b: no getter runs for such a change, because it may be made elsewhere")
    func noGetterRunsElsewhere() {
        final class Station: KeyValueObject, @unchecked Sendable {
            // SAFETY: (of @unchecked Sendable) no test changes a plain property on another thread than its own.
            @Observed var isOn = false
            let download: Download
            let reads: EventLog<String>
            var text: String {
                reads.append("read")
                return isOn ? download.percent : "off"
            }
            init(_ download: Download, _ reads: EventLog<String>) { (self.download, self.reads) = (download, reads) }
        }
        let station = Station(download, log)
        let result6 = observations.observe(station, \.text) { observer, text in observer.log.append(text) }
        #expect(result6 == .added)
        station.isOn = true
        log.removeAll()
        OtherThread.run { [download] in download.progress = 1 }
        #expect(log.events.isEmpty)
        #expect(observer.log.events == ["off", "0 %"])
        station.isOn = true
        #expect(observer.log.events == ["off", "0 %", "1 %"])
    }

    @Test("Rule 40b: beside it, an observer that any thread may call hears each change, in both phases")
    func beside() {
        let result7 = observations.observe(download, \.inner?.parts, options: [.prior, .new]) { observer, _, change in
            observer.log.append("here \(change.told)")
        }
        #expect(result7 == .added)
        observations.observe(
            download, \.inner?.parts, options: [.prior, .new], tag: "any",
            on: .anyThread { observer, _, change in observer.log.append("anywhere \(change.told)") })
        let inner = Download()
        download.inner = inner
        #expect(
            observer.log.removeAll().sorted() == [
                "anywhere after new Optional([1])", "anywhere prior", "here after new Optional([1])", "here prior",
            ])
        OtherThread.run { inner.mutableArrayValue(for: \.parts).append(2) }
        #expect(
            observer.log.removeAll() == ["anywhere prior insertion at 1..<2", "anywhere after insertion new Optional([2]) at 1..<2"])
        #expect(observations.counters.wrongIsolation == 1)
        withBatchedChanges {
            inner.parts = [7]
            inner.parts = [8]
        }
        #expect(observer.log.removeAll() == ["anywhere prior", "anywhere after new Optional([8])"])
        // A batch that also changes what this thread may change is its own.
        withBatchedChanges {
            inner.parts = [9]
            download.inner = Download()
        }
        #expect(
            observer.log.removeAll().filter { $0.contains("after") }.sorted() == [
                "anywhere after new Optional([1])", "here after new Optional([1])",
            ])
    }

    @Test("Rule 40b: in a batch they are counted, and not handed over at its end")
    func inABatch() {
        let result8 = observations.observe(download, \.inner?.progress) { observer, value in observer.log.append("\(value ?? -1)") }
        #expect(result8 == .added)
        let inner = Download()
        download.inner = inner
        withBatchedChanges {
            inner.progress = 1
            inner.progress = 2
        }
        #expect(observer.log.events == ["-1", "0"])
        #expect(observations.counters.wrongIsolation == 2)
        withBatchedChanges {
            inner.progress = 3
            download.inner = inner
        }
        #expect(observer.log.events == ["-1", "0", "3"])
    }

    @Test(
        "Rule 40b: the key path self is accepted, since it reads nothing; changes of atomic properties are counted",
        arguments: [false, true])
    func theWholeObject(isKnown: Bool) {
        let others = ObservationController(observer: observer)
        if isKnown { others.observe(download, \.progress, on: .anyThread { _, _ in }) }
        let result9 = observations.observe(download, \.self, options: .new) { observer, _, _ in observer.hear() }
        #expect(result9 == .added)
        download.name = "b"
        download.progress = 1
        OtherThread.run { [download] in download.parts = [] }
        download.name = "c"
        #expect(observer.log.events == ["heard", "heard"])
        #expect(observations.counters == ObservationCounters(delivered: 2, wrongIsolation: 2))
        others.observe(download, \.self, options: .new, on: .anyThread { [log] _, _, _ in log.append("any thread") })
        download.progress = 2
        #expect(log.events == ["any thread"])
        #expect(observations.counters == ObservationCounters(delivered: 2, wrongIsolation: 3))
    }

    @Test("Rule 40b: the key path self of an ObservedValue is refused like its value, in every form", arguments: [false, true])
    func theWholeOfAnObservedValue(isKnown: Bool) async throws {
        let (value, log) = (ObservedValue(1), log)
        let others = ObservationController(observer: observer)
        if isKnown { others.observe(value, \.self, options: [], on: .anyThread { [log] _, _, _ in log.append("any thread") }) }
        let line: UInt = #line + 2
        let results =
            [observations.observe(value, \.self) { observer, _ in observer.hear() }]
            + [observations.observe(value, \.self, options: [.initial, .old]) { observer, _, _ in observer.hear() }]
            + [observations.onChange(of: value, \.self) { observer, _, _ in observer.hear() }]
            + [observations.observeOnce(value, \.self, where: { _ in true }) { observer, _ in observer.hear() }]
            + observations.observeEach(value, [\.self, \.value]) { observer, _, _ in observer.hear() }
            + observe(wholeOf: value)
        #expect(results == Array(repeating: .refused(.noIsolation), count: 7))
        let token = value.observation(of: \.self) { [log] _, _ in log.append("token") }
        for await _ in observations.values(of: value, \.self) { log.append("sequence") }
        #expect(Warnings.messages(line...line + 3).allSatisfy { $0.contains("`ObservedValue<Int>.self`") && $0.contains("on: .anyThread") })
        value.value = 2
        #expect(log.events == (isKnown ? ["any thread"] : []))
        #expect(observer.log.events.isEmpty && observations.observations.isEmpty)
        others.unobserveAll()
        #expect(value.observationRecords == (0, 0))
        withExtendedLifetime(token) {}
    }

    /// Observes as generic code does, which does not know the class of the object.
    private func observe<Object: KeyValueObservable>(wholeOf object: Object) -> [ObservationResult] {
        [observations.observe(object, \.self) { observer, _ in observer.hear() }]
    }

    @Test("Rules 40, 40b: on an actor the key path self of an ObservedValue hears its changes, those made elsewhere later")
    func theWholeOfAnObservedValueOnAnActor() async {
        await Self.observeOnTheMainActor(ObservedValue(1), log)
        #expect(log.events == ["1", "2", "3"])
    }

    @MainActor private static func observeOnTheMainActor(_ value: ObservedValue<Int>, _ log: EventLog<String>) async {
        let observer = Observer()
        let observations = ObservationController(observer: observer)
        observations.observe(value, \.self) { _, value in log.append("\(value.value)") }
        value.value = 2
        #expect(log.events == ["1", "2"])
        OtherThread.run { value.value = 3 }
        await until { log.events.count == 3 }
    }

    @Test("Rule 40b: what any thread may read is observed as a value of its own")
    func observedValues() async throws {
        let value = ObservedValue(1)
        let result10 = observations.observe(value, \.value) { observer, _ in observer.hear() }
        #expect(result10 == .refused(.noIsolation))
        observations.observe(value, \.value, on: .anyThread { [log] _, number in log.append("\(number)") })
        OtherThread.run { value.value = 2 }
        value.$value.update { $0 += 1 }
        try log.expect(["1", "2", "3"])
    }
}
