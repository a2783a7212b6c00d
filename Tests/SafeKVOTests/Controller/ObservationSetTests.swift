import SafeKVOTesting
import TestSupport
import Testing

@testable import SafeKVO

/// The table behind a controller, against an array that is looked through.
@Suite struct ObservationSetTests {
    /// Some subjects with some lists each.
    private struct World {
        final class Subject {}

        let subjects = (0..<5).map { _ in Subject() }
        let records: [ObservationRecord]
        let lists: [ObserverList]
        let tags: [ObservationTag?] = [nil, "a", "b"]

        init() {
            records = subjects.map { ObservationRecord(subject: $0) }
            lists = records.flatMap { record in (0..<4).map { _ in ObserverList(record: record, events: Int.self) } }
        }

        func info(_ list: ObserverList, _ tag: ObservationTag?) -> ObservationInfo {
            let extras = tag.map {
                InfoExtras(tag: $0, isolation: nil, target: nil, read: nil, driver: nil, filter: nil, onTermination: nil)
            }
            let position = SourcePosition(fileID: #fileID, line: #line)
            let parts = InfoParts(list: list, owner: nil, flags: [], extras: extras, position: position, keyPath: nil)
            return withExtendedLifetime(extras) { ObservationInfo(parts) { _, _, _ in true } }
        }
    }

    @Test("A set finds, lists and gives up what an array would", arguments: SeededGenerator.seeds)
    func setIsAnArray(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let world = World()
        var set = ObservationSet()
        var expected: [ObservationInfo] = []
        for step in 0..<4000 {
            // It fills and empties by turns.
            let growth = (step / 200).isMultiple(of: 2) ? 3 : 1
            let (list, tag) = (world.lists[Int.random(in: 0..<20, using: &random)], world.tags[Int.random(in: 0..<3, using: &random)])
            let present = expected.first { $0.list == Unretained(list) && $0.tag == tag }
            #expect(set.info(list: Unretained(list), tag: tag) === present)
            switch Int.random(in: 0..<200, using: &random) {
            case 0:
                var all = set.removeAll()
                var removed: [ObservationInfo] = []
                while let info = all.next() { removed.append(info) }
                #expect(Set(removed.map { ObjectIdentifier($0) }) == Set(expected.map { ObjectIdentifier($0) }))
                #expect(removed.count == expected.count)
                expected = []
            case let number where number % 4 < growth:
                if present != nil { continue }
                let info = world.info(list, tag)
                set.insert(info)
                expected.append(info)
            default:
                guard let present else { continue }
                let removed = Bool.random(using: &random) ? set.remove(present) : set.remove(list: Unretained(list), tag: tag)
                #expect(removed === present)
                #expect(set.remove(present) == nil)
                expected.removeAll { $0 === present }
            }
            #expect(set.count == expected.count)
            let record = world.records[Int.random(in: 0..<5, using: &random)]
            let ofSubject = set.infos(record: record).map { ObjectIdentifier($0) }
            let others = expected.filter { $0.withList { $0.recordWord } == Unretained(record).word }
            #expect(ofSubject == others.map { ObjectIdentifier($0) })
            if step.isMultiple(of: 50) {
                let all = set.infos()
                #expect(Set(all.map { ObjectIdentifier($0) }) == Set(expected.map { ObjectIdentifier($0) }))
                // Those of a subject are neighbours.
                let subjects = all.map { $0.withList { $0.recordWord } }
                #expect(zip(subjects, subjects.dropFirst()).filter { $0 != $1 }.count == max(0, Set(subjects).count - 1))
            }
        }
        for info in set.infos() { #expect(set.remove(info) === info) }
        #expect(set.count == 0)
        withExtendedLifetime(world) {}
    }

    @Test("Of several observations of a controller, the ends are told subject by subject, in order of registration")
    func endsAreToldInOrder() throws {
        final class Gauge: KeyValueObject {
            @Observed var level = 0
            @Observed var limit = 0
        }
        let (first, second) = (Gauge(), Gauge())
        let (observer, names) = (Gauge(), EventLog<String>())
        let observations = ObservationController(observer: observer)
        for (name, gauge, keyPath) in [("a", first, \Gauge.level), ("b", second, \Gauge.level), ("c", first, \Gauge.limit)] {
            observations.observe(gauge, keyPath, options: .new) { _, _, _ in
            } onTermination: { _ in
                names.append(name)
            }
        }
        observations.unobserveAll()
        try names.expect(["a", "c", "b"])
        withExtendedLifetime(observer) {}
    }
}
