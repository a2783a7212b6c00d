import EnduranceKit
import SafeKVO

extension Trial {
    static let all: [Trial] = [
        Trial(name: "observers of one property") { count, steps in
            let link = Link()
            var viewers = (0..<count).map { _ in Viewer() }
            steps.step("register") {
                for viewer in viewers { viewer.observations.observe(link, \.number, initial: false) { viewer, _ in viewer.calls += 1 } }
            }
            steps.step("one change") { link.number = 1 }
            steps.expect(viewers.allSatisfy { $0.calls == 1 }, "not every observer was called once")
            steps.step("remove half") {
                for index in stride(from: 0, to: count, by: 2) { viewers[index].observations.unobserve(link, \.number) }
            }
            steps.step("release the observers") { viewers = [] }
        },
        Trial(name: "observers of one object that dies") { count, steps in
            var link: Link? = Link()
            let viewers = (0..<count).map { _ in Viewer() }
            steps.step("register") {
                for viewer in viewers { viewer.notRetaining.observe(link, \.number, initial: false) { viewer, _ in viewer.calls += 1 } }
            }
            steps.step("release the object") { link = nil }
            withExtendedLifetime(viewers) {}
        },
        Trial(name: "objects of one controller") { count, steps in
            var viewer: Viewer? = Viewer()
            var links = (0..<count).map { _ in Link() }
            steps.step("register") {
                for link in links { viewer?.observations.observe(link, \.number, initial: false) { viewer, _ in viewer.calls += 1 } }
            }
            steps.step("change each") { for link in links { link.number = 1 } }
            steps.expect(viewer?.calls == count, "not every change was delivered")
            steps.step("unobserve half") { for index in stride(from: 0, to: count, by: 2) { viewer?.observations.unobserve(links[index]) } }
            steps.step("release the observer") { viewer = nil }
            steps.step("release the objects") { links = [] }
        },
        Trial(name: "computed values") { count, steps in
            var viewer: Viewer? = Viewer()
            var links = (0..<count).map { _ in Link() }
            steps.step("register") {
                for link in links { viewer?.observations.observe(link, \.double, initial: false) { viewer, _ in viewer.calls += 1 } }
            }
            steps.step("change each") { for link in links { link.number = 1 } }
            steps.expect(viewer?.calls == count, "not every change was delivered")
            steps.step("release the observer") { viewer = nil }
            steps.step("release the objects") { links = [] }
        },
        Trial(name: "nested key paths, one of each object", greatest: 100_000) { count, steps in
            var viewer: Viewer? = Viewer()
            var links = (0..<count).map { _ in Link() }
            for link in links {
                link.middle = Middle()
                link.middle?.end = End()
            }
            steps.step("register") {
                for link in links {
                    viewer?.observations.observe(link, \.middle?.end?.name, initial: false) { viewer, _ in viewer.calls += 1 }
                }
            }
            steps.step("change each end") { for link in links { link.middle?.end?.name = 1 } }
            steps.step("change each middle") { for link in links { link.middle?.end = End() } }
            steps.expect(viewer?.calls == 2 * count, "not every change was delivered")
            steps.step("release the observer") { viewer = nil }
            steps.step("release the objects") { links = [] }
        },
        Trial(name: "nested key paths that share their objects", greatest: 100_000) { count, steps in
            let (middle, end) = (Middle(), End())
            middle.end = end
            var viewer: Viewer? = Viewer()
            var links = (0..<count).map { _ in Link() }
            for link in links { link.middle = middle }
            steps.step("register") {
                for link in links {
                    viewer?.observations.observe(link, \.middle?.end?.name, initial: false) { viewer, _ in viewer.calls += 1 }
                }
            }
            steps.step("change the end") { end.name = 1 }
            steps.step("replace the end") { middle.end = End() }
            steps.expect(viewer?.calls == 2 * count, "not every change was delivered")
            steps.step("release the observer") { viewer = nil }
            steps.step("release the objects") { links = [] }
        },
        Trial(name: "key paths of one object", greatest: 100_000) { count, steps in
            var link: Link? = Link()
            link?.items = Array(0..<count)
            var viewer: Viewer? = Viewer()
            steps.step("register") {
                for index in 0..<count {
                    viewer?.observations.observe(link, \.items[index], initial: false) { viewer, _ in viewer.calls += 1 }
                }
            }
            steps.step("one change") { link?.items = Array(1...count) }
            steps.expect(viewer?.calls == count, "not every change was delivered")
            steps.step("release the observer") { viewer = nil }
            steps.step("release the object") { link = nil }
        },
    ]

    /// The chains; each also runs on a thread with a small stack.
    static let chains: [Trial] = [
        chain("each retains the next") { link, next in link.observations.observe(next, \.number, initial: false) { _, _ in } },
        chain("each observes a computed value of the next") { link, next in
            link.observations.observe(next, \.double, initial: false) { _, _ in }
        },
        chain("each handler captures the next") { link, next in
            link.observations.observe(Link(), \.number, initial: false) { _, _ in _ = next }
        },
        chain("each has a token whose handler captures the next") { link, next in
            link.token = next.observation(of: \.number, initial: false) { _, _ in _ = next }
        },
        chain("each observes a nested path of the next") { link, next in
            next.middle = Middle()
            link.observations.observe(next, \.middle?.end?.name, initial: false) { _, _ in }
        },
    ]

    private static func chain(_ name: String, _ connect: @escaping @Sendable (_ link: Link, _ next: Link) -> Void) -> Trial {
        Trial(name: "chain: \(name)", greatest: 100_000) { count, steps in
            var first: Link? = Link()
            weak var last: Link?
            steps.step("build") {
                var link = first
                for _ in 0..<count {
                    let next = Link()
                    if let link { connect(link, next) }
                    link = next
                }
                last = link
            }
            steps.step("release the first") { first = nil }
            steps.expect(last == nil, "the last object is alive")
        }
    }
}
