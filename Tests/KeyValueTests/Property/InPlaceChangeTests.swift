import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

@Suite struct InPlaceChangeTests {
    final class Album: KeyValueObject {
        @Observed var photos: [Int] = []
        @Observed var covers: [Int] = []
        @Observed var counted: [Int] = [] {
            didSet { setCount += 1 }
        }
        var setCount = 0
        var photoCount: Int { photos.count }
    }
    final class Observer {}
    struct Failure: Error {}

    let album = Album()
    let observer = Observer()
    let log = EventLog<String>()

    @Test("Rule 12: a mutation in place is one setting change with whole values")
    func aMutationInPlaceIsOneSettingChange() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(album, \.photos, options: [.prior, .old, .new]) { _, album, change in
            log.append("\(change.told), the getter \(album.photos)")
        }
        album.photos.append(1)
        album.photos += [2, 3]
        album.photos[0] = 9
        try log.expect([
            "prior old [], the getter []", "after old [] new [1], the getter [1]",
            "prior old [1], the getter [1]", "after old [1] new [1, 2, 3], the getter [1, 2, 3]",
            "prior old [1, 2, 3], the getter [1, 2, 3]", "after old [1, 2, 3] new [9, 2, 3], the getter [9, 2, 3]",
        ])
    }

    @Test("Rule 12: a mutation that changes nothing is announced")
    func aMutationThatChangesNothingIsAnnounced() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(album, \.photos, options: [.old, .new]) { _, _, change in log.append(change.told) }
        album.photos.removeAll()
        album.photos.sort()
        func look(_ photos: inout [Int]) {}
        look(&album.photos)
        try log.expect(Array(repeating: "after old [] new []", count: 3))
    }

    @Test("Rule 12: a mutation that throws is announced, with what it had done until then")
    func aMutationThatThrowsIsAnnounced() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(album, \.photos, options: [.prior, .old, .new]) { _, _, change in log.append(change.told) }
        func fail(_ photos: inout [Int]) throws {
            photos.append(1)
            throw Failure()
        }
        #expect(throws: Failure.self) { try fail(&album.photos) }
        #expect(album.photos == [1])
        try log.expect(["prior old []", "after old [] new [1]"])
        album.photos.append(2)
        try log.expect(["prior old [1]", "after old [1] new [1, 2]"])
    }

    @Test("Rule 12: a swap of two properties is one change of each")
    func aSwapIsOneChangeOfEach() throws {
        let observations = ObservationController(observer: observer)
        album.photos = [1]
        album.covers = [2]
        observations.observe(album, \.photos, options: [.old, .new]) { _, _, change in log.append("photos \(change.told)") }
        observations.observe(album, \.covers, options: [.old, .new]) { _, _, change in log.append("covers \(change.told)") }
        swap(&album.photos, &album.covers)
        #expect(log.removeAll().sorted() == ["covers after old [2] new [1]", "photos after old [1] new [2]"])
    }

    @Test("Rules 12, 20a: a swap of two collections that a computed value reads tells it the old value", arguments: [false, true])
    func aSwapOfTwoThatAComputedValueReads(isFirst: Bool) throws {
        final class Album: KeyValueObject {
            @Observed var photos = [1]
            @Observed var covers = [2]
            var shown: [Int] { covers.isEmpty ? [] : photos }
        }
        let album = Album()
        let observations = ObservationController(observer: observer)
        observations.observe(album, \.shown, options: [.old, .new]) { _, _, change in log.append(change.told) }
        if isFirst { swap(&album.photos, &album.covers) } else { swap(&album.covers, &album.photos) }
        try log.expect(["after old [1] new [2]"])
    }

    @Test("Rule 12: another property may be set while a mutation in place is open")
    func otherPropertiesMayBeSetDuringAMutation() throws {
        let observations = ObservationController(observer: observer)
        album.photos = [1, 2, 3]
        observations.observe(album, \.photos, options: .new) { _, _, change in log.append("photos \(change.told)") }
        observations.observe(album, \.covers, options: .new) { _, _, change in log.append("covers \(change.told)") }
        album.photos.removeAll { photo in
            if photo == 2 { album.covers = [photo] }
            return photo == 2
        }
        try log.expect(["covers after new [2]", "photos after new [1, 3]"])
    }

    @Test("Rules 12, 47: in a batch, a computed value is not read while a property that it reads is being mutated in place")
    func noReadDuringAMutationInABatch() throws {
        final class Album: KeyValueObject {
            @Observed var photos = [1, 2, 3]
            @Observed var covers: [Int] = []
            @Observed var title = ""
            var count: Int { photos.count + covers.count }
        }
        let album = Album()
        let observations = ObservationController(observer: observer)
        observations.observe(album, \.count, options: [.old, .new]) { _, _, change in log.append("count \(change.told)") }
        withBatchedChanges {
            for number in 1...3 { album.covers.append(number) }
            // The key path is now evaluated at the next change, if that is possible there.
            observations.observe(album, \.title, options: .new) { _, _, _ in }
            album.photos.removeAll { photo in
                album.covers.append(photo)
                return photo == 2
            }
            album.covers.removeLast()
        }
        try log.expect(["count after old 3 new 7"])
        album.photos = []
        try log.expect(["count after old 7 new 5"])
    }

    @Test("Rule 12: values that are no collections are changed in place too")
    func numbersAndOptionalsAreChangedInPlace() throws {
        final class Counter: KeyValueObject {
            @Observed var count = 0
            @Observed var name: String? = "a"
            @Observed var position = (x: 0, y: 0)
        }
        let counter = Counter()
        let observations = ObservationController(observer: observer)
        observations.observe(counter, \.count, options: [.old, .new]) { _, _, change in log.append("count \(change.told)") }
        observations.observe(counter, \.name, options: .new) { _, _, change in log.append("name \(change.told)") }
        observations.observe(counter, \.position, options: .new) { _, _, change in log.append("position \(change.told)") }
        counter.count += 1
        counter.name?.append("b")
        counter.position.y = 3
        counter.name = nil
        try log.expect([
            "count after old 0 new 1", #"name after new Optional("ab")"#, "position after new (x: 0, y: 3)", "name after new nil",
        ])
    }

    // MARK: Copies

    /// Where the elements are stored, to see whether a mutation copied them.
    private func storage(_ keyPath: KeyPath<Album, [Int]>) -> UInt {
        unsafe album[keyPath: keyPath].withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
    }

    private func appendsWithoutCopying(_ keyPath: ReferenceWritableKeyPath<Album, [Int]>, _ append: () -> Void) -> Bool {
        album[keyPath: keyPath] = []
        album[keyPath: keyPath].reserveCapacity(100)
        let before = storage(keyPath)
        append()
        return storage(keyPath) == before && album[keyPath: keyPath] == [1]
    }

    @Test("Rule 12: an unobserved mutation in place does not copy")
    func anUnobservedMutationDoesNotCopy() {
        #expect(appendsWithoutCopying(\.photos) { album.photos.append(1) })
    }

    @Test("Rule 12: while nobody asks for the old value, a mutation in place does not copy")
    func nobodyWhoAsksForTheOldValueNoCopy() {
        let observations = ObservationController(observer: observer)
        observations.observe(album, \.photos, options: [], tag: "none") { _, _, _ in log.append("none") }
        observations.observe(album, \.photos, options: [.new, .prior, .initial], tag: "new") { _, _, _ in log.append("new") }
        observations.observe(album, \.photos, tag: "value") { _, _ in log.append("value") }
        observations.observe(album, \.covers, options: [.old, .new]) { _, _, _ in }
        #expect(appendsWithoutCopying(\.photos) { album.photos.append(1) })
        #expect(log.removeAll().suffix(4) == ["new", "none", "new", "value"])
    }

    @Test("Rule 12: dependants who ask for no old value cause no copy")
    func aDependentKeyPathCausesNoCopy() {
        let observations = ObservationController(observer: observer)
        observations.observe(album, \.photoCount, options: [.new]) { _, _, _ in log.append("count") }
        observations.observe(album, \.photos.count, options: [.new, .old]) { _, _, _ in log.append("path") }
        #expect(appendsWithoutCopying(\.photos) { album.photos.append(1) })
        #expect(log.removeAll().suffix(2) == ["count", "path"])
    }

    @Test("Rule 12: once somebody asks for the old value, the elements are copied, and when it has gone, no more")
    func whoAsksForTheOldValueCausesACopy() {
        let observations = ObservationController(observer: observer)
        observations.observe(album, \.photos, options: [.new], tag: "new") { _, _, _ in }
        observations.observe(album, \.photos, options: [.old], tag: "old") { _, _, _ in }
        #expect(!appendsWithoutCopying(\.photos) { album.photos.append(1) })
        observations.unobserve(album, \.photos, tag: "old")
        #expect(appendsWithoutCopying(\.photos) { album.photos.append(1) })
    }

    @Test("Rule 12: a property with a didSet of its own is changed by copy, and announced once")
    func aPropertyWithADidSetIsAnnouncedOnce() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(album, \.counted, options: [.old, .new]) { _, _, change in log.append(change.told) }
        album.counted.append(1)
        try log.expect(["after old [] new [1]"])
        #expect(album.setCount == 1)
    }

    // MARK: Observers that come and go during a mutation

    @Test("Rules 10, 12: who is removed while a mutation is open does not hear it")
    func whoIsRemovedDuringAMutationDoesNotHearIt() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(album, \.photos, options: .new, tag: "a") { _, _, change in log.append("a \(change.told)") }
        observations.observe(album, \.photos, options: .new, tag: "b") { _, _, change in log.append("b \(change.told)") }
        func remove(_ photos: inout [Int]) {
            photos.append(1)
            observations.unobserve(album, \.photos, tag: "a")
        }
        remove(&album.photos)
        try log.expect(["b after new [1]"])
    }

    @Test("Rules 9, 10, 12: who registers while a mutation is open does not hear it")
    func whoRegistersDuringAMutationDoesNotHearIt() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(album, \.photos, options: .new, tag: "a") { _, _, change in log.append("a \(change.told)") }
        func add(_ photos: inout [Int]) {
            photos.append(1)
            observations.observe(album, \.photos, options: .new, tag: "b") { _, _, change in log.append("b \(change.told)") }
        }
        add(&album.photos)
        try log.expect(["a after new [1]"])
    }

    @Test("Rule 2: the library does not read a property that is open: a dependant of it and of one that is set meanwhile")
    func theLibraryDoesNotReadAnOpenProperty() async {
        await #expect(processExitsWith: .success) {
            final class Album: KeyValueObject {
                @Observed var photos = [1, 2, 3]
                @Observed var title = "a"
                var summary: String { "\(title) \(photos)" }
            }
            let album = Album()
            let observer = Observer()
            let observations = ObservationController(observer: observer)
            observations.observe(album, \.summary, options: .new) { _, _, _ in }
            album.photos.removeAll { photo in
                album.title = "b"
                return photo == 2
            }
        }
    }
}
