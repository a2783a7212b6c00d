import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

/// Sets of a subject: what they give, hold and leave alone.
@Suite struct SetValueTests {
    /// Two of a name are equal, and still two.
    struct Label: Hashable {
        let name: String
        let serial: Int
        static func == (left: Label, right: Label) -> Bool { left.name == right.name }
        func hash(into hasher: inout Hasher) { hasher.combine(name) }
    }
    final class Box: KeyValueObject {
        @Observed var labels: Set<Label> = []
    }
    final class Note: Hashable {
        let onTermination: () -> Void
        init(onTermination: @escaping () -> Void) { self.onTermination = onTermination }
        deinit { onTermination() }
        static func == (left: Note, right: Note) -> Bool { left === right }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }
    final class Desk: KeyValueObject {
        @Observed var notes: Set<Note> = []
    }

    let shelf = Shelf(tags: [1, 2, 3])
    let listener = Listener<Set<Int>>()
    var tags: MutableSetValue<Shelf, Int> { shelf.mutableSetValue(for: \.tags) }

    @Test func itReadsAsTheSetDoes() {
        #expect(tags.set == [1, 2, 3])
        #expect(Set(tags) == [1, 2, 3])
        #expect(tags.count == 3)
        #expect(!tags.isEmpty)
        #expect(Shelf().mutableSetValue(for: \.tags).isEmpty)
        #expect(tags.contains(2))
        #expect(!tags.contains(4))
        #expect(tags.sorted() == [1, 2, 3])
        #expect(Array(tags) == Array(tags.set))
        #expect("\(tags)" == "\(shelf.tags)")
    }

    @Test func askingForItAndReadingItAnnouncesNothing() {
        listener.listen(to: shelf, \.tags, [.old, .new, .prior])
        let tags = tags
        _ = (tags.set, tags.count, tags.contains(1), tags.sorted(), tags.map { $0 })
        #expect(listener.changes.isEmpty)
    }

    @Test func resultsAreThoseOfTheSet() {
        let inserted = tags.insert(4)
        #expect(inserted.inserted)
        #expect(inserted.memberAfterInsert == 4)
        let again = tags.insert(4)
        #expect(!again.inserted)
        #expect(again.memberAfterInsert == 4)
        #expect(tags.remove(4) == 4)
        #expect(tags.remove(4) == nil)
    }

    @Test("Copies mean the same set, and iterating goes over what was there")
    func copiesMeanTheSameSet() {
        let one = tags
        let copy = one
        copy.insert(4)
        #expect(one.set == [1, 2, 3, 4])
        var seen: Set<Int> = []
        for tag in one {
            seen.insert(tag)
            one.removeAll()
        }
        #expect(seen == [1, 2, 3, 4])
        #expect(shelf.tags.isEmpty)
    }

    @Test func itRetainsItsObjectAndNothingElse() throws {
        let tracker = LifetimeTracker()
        var tags: MutableSetValue<Shelf, Int>? = tracker.track(Shelf(tags: [1])).mutableSetValue(for: \.tags)
        tags?.insert(2)
        #expect(tags?.set == [1, 2])
        #expect(tracker.survivors.count == 1)
        tags = nil
        try tracker.expectAllGone()
    }

    @Test("Members equal to one that is there stay away; what is told are those that came and went themselves")
    func equalMembersStayAway() {
        let (box, heard) = (Box(), Listener<Set<Label>>())
        let labels = box.mutableSetValue(for: \.labels)
        func label(_ name: String, _ serial: Int) -> Label { Label(name: name, serial: serial) }
        func told(_ set: Set<Label>?) -> [String]? { set.map { $0.map { "\($0.name)\($0.serial)" }.sorted() } }
        heard.listen(to: box, \.labels)
        let steps: [(old: [String]?, new: [String]?, result: [String], () -> Void)] = [
            (nil, ["a1"], ["a1"], { labels.insert(label("a", 1)) }),
            (nil, [], ["a1"], { labels.insert(label("a", 2)) }),
            (nil, ["b2"], ["a1", "b2"], { labels.formUnion([label("a", 2), label("b", 2)]) }),
            ([], ["c4"], ["a1", "b2", "c4"], { labels.set(to: [label("a", 4), label("b", 4), label("c", 4)]) }),
            (["b2"], nil, ["a1", "c4"], { labels.formIntersection([label("a", 5), label("c", 5)]) }),
            (["c4"], nil, ["a1"], { labels.subtract([label("c", 6)]) }),
            (["a1"], ["a7"], ["a7"], { labels.change { $0.update(with: label("a", 7)) } }),
            (["a7"], nil, [], { labels.remove(label("a", 8)) }),
        ]
        for (number, step) in steps.enumerated() {
            step.3()
            let changes = heard.removeAll()
            #expect(changes.count == 1, "step \(number)")
            #expect(told(changes.first?.oldValue) == step.old, "step \(number)")
            #expect(told(changes.first?.newValue) == step.new, "step \(number)")
            #expect(told(box.labels) == step.result, "step \(number)")
        }
    }

    @Test("What is heard of random operations leads to the set", arguments: SeededGenerator.seeds)
    func randomOperationsTellTheWholeStory(seed: UInt64) throws {
        let shelf = Shelf()
        listener.listen(to: shelf, \.tags)
        let tags = shelf.mutableSetValue(for: \.tags)
        var (set, replica): (Set<Int>, Set<Int>) = ([], [])
        var generator = SeededGenerator(seed: seed)
        for step in 0..<300 {
            let number = Int.random(in: 0..<12, using: &generator)
            let others = (0..<Int.random(in: 0..<8, using: &generator)).map { _ in Int.random(in: 0..<12, using: &generator) }
            switch Int.random(in: 0..<8, using: &generator) {
            case 0: tags.insert(number); set.insert(number)
            case 1: tags.change { $0.formSymmetricDifference(others) }; set.formSymmetricDifference(others)
            case 2: tags.remove(number); set.remove(number)
            case 3: tags.formUnion(others); set.formUnion(others)
            case 4: tags.subtract(others); set.subtract(others)
            case 5: tags.formIntersection(others); set.formIntersection(others)
            case 6: tags.set(to: others); set = Set(others)
            default: tags.removeAll(); set.removeAll()
            }
            try #require(shelf.tags == set, "step \(step)")
            let heard = listener.removeAll()
            try #require(heard.count == 1, "step \(step)")
            let (gone, come) = (heard[0].oldValue ?? [], heard[0].newValue ?? [])
            try #require(gone.isSubset(of: replica), "step \(step)")
            replica.subtract(gone)
            try #require(come.isDisjoint(with: replica), "step \(step)")
            replica.formUnion(come)
            try #require(replica == set, "step \(step)")
        }
    }

    @Test("A member is added without a copy of the others")
    func aMemberIsAddedWithoutACopy() {
        shelf.tags.reserveCapacity(100)
        let capacity = shelf.tags.capacity
        let observations = ObservationController(observer: listener)
        observations.observe(shelf, \.tags, options: [.old, .new, .prior]) { _, _, _ in }
        for tag in 4..<20 { tags.insert(tag) }
        tags.formUnion(20..<30)
        tags.subtract(25..<40)
        tags.remove(4)
        // A copy is made with just the room it needs.
        #expect(shelf.tags.capacity == capacity)
        tags.removeAll(keepingCapacity: true)
        #expect(shelf.tags.capacity >= 26)
        tags.removeAll()
        #expect(shelf.tags.capacity == 0)
    }

    @Test("A removed member may read the set while it is destroyed: it would trap if the set were open")
    func aRemovedMemberMayReadTheSet() async {
        await #expect(processExitsWith: .success) {
            let (desk, listener) = (Desk(), Listener<Set<Note>>())
            let observations = ObservationController(observer: listener)
            let notes = desk.mutableSetValue(for: \.notes)
            var ended = 0
            func note() -> Note { Note { [unowned desk] in ended += desk.notes.count >= 0 ? 1 : 0 } }
            let edits: [() -> Void] = [
                { notes.removeAll() }, { notes.removeAll(keepingCapacity: true) }, { notes.set(to: [note()]) },
                { notes.formIntersection([]) }, { if let one = notes.set.first { notes.remove(one) } },
                { notes.subtract(notes.prefix(2)) }, { notes.change { $0.formSymmetricDifference(notes.prefix(2)) } },
            ]
            for isObserved in [false, true] {
                if isObserved { observations.observe(desk, \.notes, options: [.old, .new, .prior]) { _, _, _ in } }
                for edit in edits {
                    notes.removeAll()
                    notes.formUnion((0..<4).map { _ in note() })
                    let before = ended
                    edit()
                    precondition(ended > before, "Something is destroyed by each.")
                }
            }
            notes.removeAll()
            withExtendedLifetime((desk, listener)) {}
        }
    }
}
