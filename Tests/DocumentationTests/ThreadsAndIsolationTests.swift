import SafeKVO
import Testing

/// The documentation's blocks on isolation, compiled and run.
@Suite struct ThreadsAndIsolationTests {
    // snippet: main-actor
    @MainActor final class Model: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var count = 0
    }

    @MainActor final class Label {
        var text = ""
        private lazy var observations = ObservationController(observer: self)

        func show(_ model: Model) {
            observations.observe(model, \.count) { label, count in
                label.text = "\(count)"
            }
        }
    }
    // end snippet

    // snippet: actor
    // An ordinary class, which never leaves its actor.
    final class Tank: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var level = 0
    }

    actor Plant {
        private let tank = Tank()
        private(set) var levels: [Int] = []
        private lazy var observations = ObservationController(observer: self)

        func start() {
            observations.observe(tank, \.level) { plant, level in
                plant.levels.append(level)
            }
        }

        func fill() { tank.level += 1 }
    }
    // end snippet

    final class Download: KeyValueObservable, Sendable {  // changes on any thread, so its values are atomic
        let keyValueRegistrar = KeyValueRegistrar()
        let progress = ObservedValue(0)
    }

    @MainActor final class Bar {
        var width = 0
        private lazy var observations = ObservationController(observer: self)

        func show(_ download: Download) {
            observations.observe(download, \.progress.value, on: .mainActor { bar, progress in bar.width = progress })
        }

        func waitForTheEnd(of download: Download) async {
            for await progress in observations.values(of: download, \.progress.value) where progress == 100 { break }
        }
    }

    // snippet: automatic
    final class Gauge: AutomaticObserver {
        let observationSlot = ObservationSlot()
        var level = 0

        func watch(_ tank: Tank) {
            observations.observe(tank, \.level) { gauge, level in
                gauge.level = level
            }
        }
    }
    // end snippet

    // snippet: child
    final class Branch: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var height = 1
        private(set) var leaf: Leaf?

        func grow() { leaf = Leaf(on: self) }
    }

    final class Leaf {
        var height = 0
        // The branch owns the leaf. If the leaf retained the branch, neither
        // would ever be deallocated.
        private lazy var observations = ObservationController(
            observer: self, retainsObserved: false)

        init(on branch: Branch) {
            observations.observe(branch, \.height) { leaf, height in
                leaf.height = height
            }
        }
    }
    // end snippet

    // snippet: default-isolation
    nonisolated final class Reel: KeyValueObject {  // owned by an actor
        @Observed var length = 0
    }

    nonisolated final class Upload: Sendable {  // shared by threads
        let progress = ObservedValue(0)
    }
    // end snippet

    @Test("A class on the main actor observes another one there")
    @MainActor func aMainActorClassObservesThere() {
        // snippet: main-actor-use
        let (model, label) = (Model(), Label())
        label.show(model)
        model.count = 1  // label.text is "1"
        // end snippet
        #expect(label.text == "1")
    }

    @Test("An actor observes a class that it owns")
    func anActorObservesWhatItOwns() async {
        let plant = Plant()
        await plant.start()
        await plant.fill()
        #expect(await plant.levels == [0, 1])
    }

    @Test("An automatic observer needs no controller of its own")
    func anAutomaticObserverObserves() {
        let tank = Tank()
        let gauge = Gauge()
        gauge.watch(tank)
        tank.level = 3
        #expect(gauge.level == 3)
    }

    @Test("A child may observe its owner without keeping it alive")
    func aChildMayObserveItsOwner() {
        weak var gone: Branch?
        weak var goneLeaf: Leaf?
        do {
            let branch = Branch()
            gone = branch
            branch.grow()
            goneLeaf = branch.leaf
            branch.height = 2
            #expect(branch.leaf?.height == 2)
        }
        #expect(gone == nil)
        #expect(goneLeaf == nil)
    }

    @Test("A subject that changes anywhere is heard on the main actor, and waited for")
    @MainActor func elsewhere() async {
        let (download, bar) = (Download(), Bar())
        bar.show(download)
        download.progress.value = 1
        #expect(bar.width == 1)
        Task.detached { for progress in 2...100 { download.progress.value = progress } }
        await bar.waitForTheEnd(of: download)
        while bar.width < 100 { await Task.yield() }
    }

    @Test("Classes that are not of the main actor are observed by one that is")
    @MainActor func outsideTheMainActor() {
        let (reel, upload, label) = (Reel(), Upload(), Label())
        let observations = ObservationController(observer: label)
        observations.observe(reel, \.length) { label, length in label.text = "length \(length)" }
        reel.length = 1
        #expect(label.text == "length 1")
        observations.observe(upload.progress, \.value, on: .mainActor { label, progress in label.text = "progress \(progress)" })
        upload.progress.value = 2
        #expect(label.text == "progress 2")
    }
}
