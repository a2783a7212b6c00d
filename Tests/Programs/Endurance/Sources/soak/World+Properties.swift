import EnduranceKit
import Foundation
import SafeKVO
import Synchronization

/// Properties, key paths, collections and what handlers do.
extension World {
    static let properties: [Feature<World>] = [
        Feature(name: "properties") { $0.observeProperties() },
        Feature(name: "handler forms") { $0.useForms() },
        Feature(name: "computed") { $0.observeComputed() },
        Feature(name: "nested paths") { $0.observeNested() },
        Feature(name: "collections") { $0.editCollections() },
        Feature(name: "batches") { $0.batch() },
        Feature(name: "several key paths") { $0.observeSeveral() },
        Feature(name: "manual notifications") { $0.announce() },
        Feature(name: "tags and replacement") { $0.replace() },
        Feature(name: "changes inside handlers") { $0.nest() },
        Feature(name: "endings inside handlers") { $0.endInside() },
    ]

    private func observeProperties() {
        let passing = Viewer()
        passing.observations.observe(song, \.rating, initial: false) { viewer, _ in viewer.calls += 1 }
        passing.observations.observe(song, \.title, options: [.old, .new, .prior]) { viewer, _, _ in viewer.calls += 1 }
        song.rating &+= 1
        song.title = "\(numbers.below(100))"
        expect(passing.calls, 3)
        let passingSong = Song()
        viewer.observations.observe(passingSong, \.rating) { viewer, rating in viewer.calls += rating }
        viewer.calls = 0
        passingSong.rating = 5
        expect(viewer.calls, 5)
        expect(viewer.observations.unobserve(passingSong), 1)
        do {
            let dying = Song()
            viewer.notRetaining.observe(dying, \.rating) { viewer, rating in viewer.calls += rating }
            dying.rating = 2
        }
        expect(viewer.calls, 7)
    }

    private func useForms() {
        let (viewer, reader, song) = (Viewer(), Reader(), Song())
        viewer.observations.observe(song, \.rating, initial: false, action: Viewer.note)
        viewer.observations.observe(song, \.rating, options: .new, tag: "change", action: Viewer.noteChange)
        viewer.observations.onChange(of: song, \.title) { viewer, old, new in viewer.calls += old == new ? 0 : 1 }
        viewer.observations.observe(song, \.rating, initial: false, removing: .duplicates, tag: "once") { viewer, _ in viewer.calls += 1 }
        reader.observations.observe(song, \.rating, options: .new, context: .rating)
        reader.nonRetainingObservations.observe(song, \.title, options: .new, context: .title)
        song.rating = 1
        song.rating = 1
        song.title = "Gigue"
        expect(viewer.calls, 6)
        expect(reader.calls, 3)
    }

    private func observeComputed() {
        let passing = Viewer()
        passing.observations.observe(song, \.label, initial: false) { viewer, _ in viewer.calls += 1 }
        song.rating &+= 1
        song.title = "Canon"
        expect(passing.calls, 2)
        let other = Song()
        viewer.calls = 0
        viewer.observations.observe(other, \.rank, options: [.old, .new]) { viewer, _, _ in viewer.calls += 1 }
        other.rating = 2
        other.album = Album()
        other.album?.year = 1742
        expect(viewer.calls, 3)
        viewer.observations.unobserve(other, \.rank)
    }

    private func observeNested() {
        let passing = Viewer()
        passing.observations.observe(song, \.album?.artist?.name, initial: false) { viewer, _ in viewer.calls += 1 }
        song.album = Album()
        song.album?.artist = Artist()
        song.album?.artist?.name = "Händel"
        let other = Album()
        other.artist = Artist()
        song.album = other
        expect(passing.calls, 4)
        // A key path object that is made each time.
        let tail: KeyPath<Song?, Int?> = \.?.rating
        passing.notRetaining.observe(song, (\Song.next).appending(path: tail), initial: false) { viewer, _ in viewer.calls += 1 }
        song.next = Song()
        song.next?.rating = 3
        expect(passing.calls, 6)
        song.next = nil
        song.album = nil
    }

    private func editCollections() {
        let (passing, other) = (Viewer(), Song())
        for subject in [song, other] {
            passing.calls = 0
            passing.observations.observe(subject, \.marks, options: [.old, .new]) { viewer, _, _ in viewer.calls += 1 }
            passing.observations.observe(subject, \.genres, options: [.old, .new]) { viewer, _, _ in viewer.calls += 1 }
            passing.observations.observe(subject, \.marks.count, initial: false) { viewer, _ in viewer.heard += 1 }
            let marks = subject.mutableArrayValue(for: \.marks)
            marks.append(contentsOf: [1, 2, 3])
            marks[1] = 7
            marks.remove(at: 0)
            let genres = subject.mutableSetValue(for: \.genres)
            genres.formUnion([numbers.below(50), 51])
            genres.remove(51)
            expect(passing.calls, 5)
            subject.marks = []
            subject.genres = []
        }
    }

    private func batch() {
        let passing = Viewer()
        passing.observations.observe(song, \.rating, options: [.old, .new]) { viewer, _, _ in viewer.calls += 1 }
        passing.observations.observe(song, \.label, initial: false) { viewer, _ in viewer.calls += 1 }
        withBatchedChanges {
            for rating in 0..<(1 + numbers.below(5)) { song.rating = rating + 1000 }
            song.title = "Fugue"
        }
        expect(passing.calls, 2)
        song.rating = 0
    }

    private func observeSeveral() {
        let (passing, other) = (Viewer(), Song())
        let results = passing.observations.observeEach(
            other, [\.rating, \.title, \.label, \.album?.year], options: .new, handler: { viewer, _, _ in viewer.calls += 1 })
        expect(results, [.added, .added, .added, .added])
        other.rating = 1
        other.title = "Toccata"
        other.album = Album()
        expect(passing.calls, 5)
        expect(passing.observations.unobserve(other), 4)
    }

    private func announce() {
        let (passing, diary) = (Viewer(), Diary())
        passing.observations.observe(diary, \.pages, options: [.old, .new]) { viewer, _, _ in viewer.calls += 1 }
        passing.observations.observe(diary, \.entries, options: [.old, .new]) { viewer, _, _ in viewer.calls += 1 }
        diary.withChange(of: \.pages) { diary.pages += 1 }
        diary.willChangeValue(for: \.pages)
        diary.pages += 1
        diary.didChangeValue(for: \.pages)
        let change = diary.willChange(\.pages)
        diary.pages += 1
        change.didChange()
        diary.withChange(.insertion, valuesAt: RangeSet(0..<1), of: \.entries) { diary.entries.insert(4, at: 0) }
        expect(passing.calls, 4)
    }

    private func replace() {
        let passing = Viewer()
        for tag in 0..<4 {
            passing.observations.observe(song, \.rating, initial: false, tag: ObservationTag("\(tag)")) { viewer, _ in viewer.calls += 1 }
        }
        for _ in 0..<3 {
            passing.observations.observe(song, \.rating, initial: false, tag: "0", ifAlreadyObserved: .replace) { viewer, _ in
                viewer.calls += 1
            }
        }
        song.rating &+= 1
        expect(passing.calls, 4)
        expect(passing.observations.unobserve(song, \.rating, tag: "2"), 1)
        expect(passing.observations.unobserve(song, \.rating, tag: "2"), 0)
        expect(passing.observations.unobserveAll(), 3)
    }

    private func nest() {
        let (passing, other) = (Viewer(), Song())
        passing.observations.observe(other, \.rating, options: .new) { viewer, song, _ in
            viewer.calls += 1
            if song.rating < 8 { song.rating += 1 }
        }
        passing.observations.observe(other, \.rating, initial: false, tag: "last") { viewer, rating in viewer.heard = rating }
        other.rating = 1
        expect(passing.calls, 8)
        expect(passing.heard, 8)
    }

    private func endInside() {
        var passing: Viewer? = Viewer()
        let last = Viewer()
        passing?.observations.observe(song, \.rating, initial: false) { viewer, _ in
            viewer.calls += 1
            viewer.observations.unobserveAll()
        }
        last.observations.observe(song, \.rating, initial: false) { [life = Album()] viewer, _ in
            passing = nil
            viewer.calls += life.year
        }
        song.rating &+= 1
        expect(passing == nil, true)
        expect(last.calls, 1741)
        last.observations.invalidate()
        expect(last.observations.observe(song, \.rating) { viewer, _ in viewer.calls += 1 }, .refused(.controllerInvalidated))
    }
}
