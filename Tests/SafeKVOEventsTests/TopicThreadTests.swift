import SafeKVO
import SafeKVOEvents
import SafeKVOTesting
import Synchronization
import TestSupport
import Testing

/// Topics that come and go on some threads while others post.
@Suite struct TopicThreadTests {
    final class Observer: Sendable {
        let heard = Atomic(0)
    }

    final class Album: Sendable {}

    final class Round: Sendable {
        let isOver = Atomic(false)
        let strangers = Atomic(0)
    }

    let center = MessageCenter()

    private func name(_ number: Int) -> MessageName { MessageName("name \(number)") }

    @Test(
        "Rule 39: who observes all the while hears each post, whatever topics come and go, and none is left of those",
        arguments: [1, 7, 300])
    func steadyObserversHearEachPost(_ topics: Int) async {
        let posts = 30_000
        let (steady, album) = (Observer(), Album())
        let observations = ObservationController(observer: steady)
        observations.observe(center, for: name(0)) { observer, _ in observer.heard.wrappingAdd(1, ordering: .relaxed) }
        observations.observe(center, for: name(0), object: album) { observer, _ in observer.heard.wrappingAdd(1, ordering: .relaxed) }
        let (center, round) = (center, Round())
        await withTaskGroup { group in
            for thread in 0..<2 {
                group.addTask {
                    await Threads.run {
                        let passing = Observer()
                        let observations = ObservationController(observer: passing)
                        var number = 1 + thread
                        while !round.isOver.load(ordering: .relaxed) {
                            number += 2
                            let name = MessageName("name \(1 + number % topics)")
                            observations.observe(center, for: name, object: number.isMultiple(of: 3) ? album : nil) { _, message in
                                if message.name != name { round.strangers.wrappingAdd(1, ordering: .relaxed) }
                            }
                            if number.isMultiple(of: 5) { observations.unobserveAll() }
                            if number.isMultiple(of: 7) { _ = observations.unobserve(center, for: name) }
                        }
                        observations.unobserveAll()
                    }
                }
            }
            group.addTask {
                await Threads.run {
                    for number in 0..<posts {
                        center.post(MessageName("name 0"), object: number.isMultiple(of: 2) ? album : nil)
                        center.post(MessageName("name \(1 + number % topics)"), object: album)
                    }
                    round.isOver.store(true, ordering: .relaxed)
                }
            }
        }
        // Once by name, and every second time by name and object.
        #expect(steady.heard.load(ordering: .relaxed) == posts + posts / 2)
        #expect(round.strangers.load(ordering: .relaxed) == 0)
        #expect(observations.unobserveAll() == 2)
        #expect(center.topicCount == 0)
    }

    @Test("Many topics are found, one by one, as they come and go in any order")
    func manyTopics() {
        let observer = Observer()
        let observations = ObservationController(observer: observer)
        var random = SeededGenerator(seed: 1)
        var present: Set<Int> = []
        for _ in 0..<20_000 {
            let number = Int.random(in: 0..<500, using: &random)
            if present.remove(number) == nil {
                present.insert(number)
                observations.observe(center, for: name(number)) { observer, _ in observer.heard.wrappingAdd(1, ordering: .relaxed) }
            } else {
                observations.unobserve(center, for: name(number))
            }
        }
        #expect(center.topicCount == present.count)
        for number in 0..<500 {
            let before = observer.heard.load(ordering: .relaxed)
            center.post(name(number))
            #expect(observer.heard.load(ordering: .relaxed) - before == (present.contains(number) ? 1 : 0))
        }
        observations.unobserveAll()
        #expect(center.topicCount == 0)
    }
}
