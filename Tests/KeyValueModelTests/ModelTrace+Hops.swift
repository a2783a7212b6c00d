import KeyValueModel

extension ModelTrace {
    static let hops = [
        ModelTrace(
            "Rule 14: a hop that reports nothing is not followed; what was read last is heard until something else is read",
            [
                observe(1, 0, .manualA, [.prior, .old, .new]), observe(2, 0, .manual, .new),
                .announce(Place(0, .manual), [.assign(.manual(0, 1))]), .assign(.a(1, 6)), .assign(.a(2, 4)), .assign(.a(2, 5)),
                .assign(.a(1, 7)),
            ],
            ["o2 after new n1", "o1 prior old 0", "o1 after old 0 new 6", "o1 prior old 6", "o1 after old 6 new 7"]),
        ModelTrace(
            "Rule 14: the replacement of a hop that reports nothing is found when another part of the key path changes",
            [
                observe(1, 0, .innerManualA), .assign(.manual(1, 2)), .assign(.a(2, 3)), .assign(.inner(0, 1)), .assign(.a(2, 4)),
                .assign(.a(0, 5)),
            ],
            ["o1 after old 0 new 3", "o1 after old 3 new 4"]),
        ModelTrace(
            "Rule 14: a weak hop is followed; nil is present",
            [
                observe(1, 0, .weakA), observe(2, 0, .weak), .assign(.weak(0, 1)), .assign(.a(1, 2)), .assign(.weak(0, nil)),
                .assign(.a(1, 3)),
            ],
            [
                "o1 after old nil new 0", "o2 after old nil new n1", "o1 after old 0 new 2", "o1 after old 2 new nil",
                "o2 after old n1 new nil",
            ]),
        ModelTrace(
            "Rule 14: the death of what a weak property refers to notifies nobody; every assignment is one change",
            [
                observe(1, 0, .weakA), observe(2, 0, .weak), .assign(.weak(0, Node.mortal)), .assign(.a(Node.mortal, 1)), .death,
                .assign(.a(Node.mortal, 2)), .assign(.weak(0, nil)),
            ],
            [
                "o1 after old nil new 0", "o2 after old nil new n5", "o1 after old 0 new 1", "o1 after old 1 new nil",
                "o2 after old nil new nil",
            ]),
        ModelTrace(
            "Rule 14: a constant hop needs nothing",
            [observe(1, 0, .innerFixedA), .assign(.a(4, 1)), .assign(.inner(0, 2)), .assign(.a(4, 2)), .assign(.a(3, 3))],
            ["o1 after old 0 new 1", "o1 after old 1 new 0", "o1 after old 0 new 3"]),
        ModelTrace(
            "Rule 14: what is announced manually at the end of a key path is heard if its getter calls access(_:), and not otherwise",
            [
                observe(1, 0, .innerText), observe(2, 0, .innerOutside), observe(3, 1, .outside),
                .announce(Place(1, .text), [.foreign(1, 1)]), .announce(Place(1, .outside), [.foreign(1, 2)]), .assign(.b(1, 3)),
            ],
            [
                "o1 after old 0 new 10", "o3 after old 100 new 200", "o2 after old 0 new 203", "o3 after old 200 new 203",
            ]),
        ModelTrace(
            "Rule 14: a getter follows a reference in plain storage that it names with access(_:), or whose own getter does",
            [
                observe(1, 0, .manualDouble), observe(2, 0, .accessedDouble), .announce(Place(0, .manual), [.assign(.manual(0, 1))]),
                .announce(Place(0, .accessed), [.assign(.accessed(0, 2))]), .assign(.a(1, 3)), .assign(.a(2, 4)),
            ],
            ["o1 after old 0 new 0", "o2 after old 0 new 0", "o1 after old 0 new 6", "o2 after old 0 new 8"]),
        ModelTrace(
            "Rule 14: a leaf whose getter calls access(_:) is heard behind a hop in plain storage",
            [observe(1, 0, .manualText), .announce(Place(2, .text), [.foreign(2, 1)]), .foreign(2, 2)], ["o1 after old 0 new 10"]),
        ModelTrace(
            "Rule 14: an atomic hop and an atomic leaf are heard",
            [observe(1, 0, .atomicLevel), .assign(.level(4, 1)), .assign(.atomic(0, 3)), .changeInPlace(.level(3, 2))],
            ["o1 after old 0 new 1", "o1 after old 1 new 0", "o1 after old 0 new 2"]),
        ModelTrace(
            "Rule 17: what is declared for a stored key counts; a declared path does not follow the hops that report nothing",
            [
                observe(1, 0, .own), observe(2, 0, .summary, .new), .assign(.level(0, 1)),
                .announce(Place(0, .manual), [.assign(.manual(0, 1))]), .assign(.own(0, 2)), .assign(.a(1, 3)), .assign(.a(2, 4)),
                .assign(.a(1, 5)), .announce(Place(1, .text), []), .announce(Place(2, .text), []),
            ],
            ["o1 after old 0 new 0", "o1 after old 0 new 2", "o2 after new 0", "o2 after new 0", "o1 after old 2 new 2", "o2 after new 0"]),
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
