import KeyValueModel

extension ModelTrace {
    static let hops = [
        ModelTrace(
            "Rule 14: a hop in plain storage is one when it is announced; the former node is silent, the new one is heard",
            [
                observe(1, 0, .manualA, [.prior, .old, .new]), .assign(.a(2, 4)), .announce(Place(0, .manual), [.assign(.manual(0, 1))]),
                .assign(.a(2, 5)), .assign(.a(1, 6)),
            ],
            [
                "o1 prior old 0", "o1 after old 0 new 4", "o1 prior old 4", "o1 after old 4 new 0", "o1 prior old 0",
                "o1 after old 0 new 6",
            ]),
        ModelTrace(
            "Rule 14: a weak hop that is announced is one; nil is present",
            [
                observe(1, 0, .weakA), .pair(Place(0, .weak), [.assign(.weak(0, 1))]), .assign(.a(1, 2)),
                .announce(Place(0, .weak), [.assign(.weak(0, nil))]), .assign(.a(1, 3)),
            ],
            ["o1 after old nil new 0", "o1 after old 0 new 2", "o1 after old 2 new nil"]),
        ModelTrace(
            "Rule 14: a leaf whose getter calls access(_:) is heard behind a hop in plain storage",
            [observe(1, 0, .manualText), .announce(Place(2, .text), [.foreign(2, 1)]), .foreign(2, 2)], ["o1 after old 0 new 10"]),
        ModelTrace(
            "Rule 14: an atomic hop and an atomic leaf are heard",
            [observe(1, 0, .atomicLevel), .assign(.level(4, 1)), .assign(.atomic(0, 3)), .changeInPlace(.level(3, 2))],
            ["o1 after old 0 new 1", "o1 after old 1 new 0", "o1 after old 0 new 2"]),
        ModelTrace(
            "Rule 17: what is declared for a stored key counts, and a declared path hears of the hops in plain storage",
            [
                observe(1, 0, .own), observe(2, 0, .summary, .new), .assign(.level(0, 1)),
                .announce(Place(0, .manual), [.assign(.manual(0, 1))]), .assign(.own(0, 2)), .assign(.a(1, 3)),
            ],
            ["o1 after old 0 new 0", "o1 after old 0 new 0", "o2 after new 0", "o1 after old 0 new 2", "o2 after new 0"]),
        ModelTrace(
            "Rule 18: kinds and indexes survive a constant hop",
            [observe(1, 0, .fixedItems), .editItems(3, .own, .append([7])), .editItems(4, .own, .append([8]))],
            ["o1 after insertion new [7] at [0]"]),
    ]

    static let settingHandlers = [
        ModelTrace(
            "Rule 11: a set inside a handler is a change of its own, delivered first; each call's values belong together",
            [observe(1, 0, .b, .setting(.own(0, 5))), observe(2, 0, .own), observe(3, 0, .b), .assign(.b(0, 1))],
            ["o1 after old 0 new 1", "o2 after old 0 new 5", "o3 after old 0 new 1"]),
        ModelTrace(
            "Rule 11a: the change form hears every change, nested ones first; the value form skips the overtaken ones",
            [
                observe(1, 0, .a, .setting(.a(0, 5))), observe(2, 0, .a), observe(3, 0, .a, [], .value), .assign(.a(0, 1)),
            ],
            [
                "o3 value new 0", "o1 after old 0 new 1", "o1 after old 1 new 5", "o1 after old 5 new 5", "o1 after old 5 new 5",
                "o2 after old 5 new 5", "o3 value new 5", "o2 after old 5 new 5", "o2 after old 1 new 5", "o2 after old 0 new 1",
            ]),
        ModelTrace(
            "Rule 11a: a newer value that is filtered as equal is considered too",
            [
                observe(1, 0, .b, .setting(.b(0, 0))), observe(2, 0, .b, [], .value, removing: true), .assign(.b(0, 1)),
            ],
            [
                "o2 value new 0", "o1 after old 0 new 1", "o1 after old 1 new 0", "o1 after old 0 new 0", "o1 after old 0 new 0",
            ]),
    ]
}

extension ModelTrace {
    /// An observation whose handler sets a property.
    private static func observe(_ id: Int, _ node: Int, _ key: Key, _ reaction: Reaction) -> Step {
        observe(id, node, key, [.old, .new], .change, reaction)
    }
}

extension Reaction {
    fileprivate static func setting(_ assignment: Assignment) -> Reaction { .sets(assignment, inPriorPhase: false) }
}
