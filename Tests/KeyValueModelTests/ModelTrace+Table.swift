import KeyValueModel

/// At the start n0, n1 and n2 have all properties, n3 and n4 those of the base class; inner: n0 to n1 to n2 to n0; part: n0 and n2 to n3, n1 to
/// n4; all numbers are 0, all collections empty, all next nil.
extension ModelTrace {
    static func observe(
        _ id: Int, _ node: Int, _ key: Key, _ options: Options = [.old, .new], _ form: Form = .change, removing: Bool = false,
        base: Bool = false, by controller: Int = 0, _ reaction: Reaction = .none
    ) -> Step {
        .observe(
            ModelObservation(
                id, node, key, options, controller: controller, form: form, removesDuplicates: removing, isSpelledByBase: base,
                reaction: reaction))
    }

    static let all: Options = [.initial, .prior, .old, .new]

    static let changes = [
        ModelTrace(
            "Rule 3: what is not asked for is absent, a nil is present",
            [
                observe(1, 0, .next, []), observe(2, 0, .next, .new), observe(3, 0, .next, .old), observe(4, 0, .next),
                .assign(.next(0, 2)), .assign(.next(0, nil)),
            ],
            [
                "o1 after", "o2 after new n2", "o3 after old nil", "o4 after old nil new n2",
                "o1 after", "o2 after new nil", "o3 after old n2", "o4 after old n2 new nil",
            ]),
        ModelTrace(
            "Rule 4: one initial call, only to the new observer, never with an old value, with a new one if asked",
            [
                .assign(.a(0, 7)), observe(1, 0, .a, [.initial]), observe(2, 0, .a, [.initial, .old]), observe(3, 0, .a, [.initial, .new]),
                observe(4, 0, .nextA, [.initial, .new]),
            ],
            ["o1 initial", "o2 initial", "o3 initial new 7", "o4 initial new nil"]),
        ModelTrace(
            "Rule 5: a prior call before the change, never with a new value; none on registration",
            [observe(1, 0, .a, [.prior, .new]), observe(2, 0, .a, all), .assign(.a(0, 1))],
            ["o2 initial new 0", "o1 prior", "o2 prior old 0", "o1 after new 1", "o2 after old 0 new 1"]),
        ModelTrace(
            "Rule 6: equal values notify, and are left out for who asks, with the prior call of an assignment",
            [
                observe(1, 0, .b), observe(2, 0, .b, all, removing: true), .assign(.b(0, 0)), .assign(.b(0, 1)), .assign(.b(0, 1)),
            ],
            [
                "o2 initial new 0", "o1 after old 0 new 0",
                "o2 prior old 0", "o1 after old 0 new 1", "o2 after old 0 new 1",
                "o1 after old 1 new 1",
            ]),
        ModelTrace(
            "Rule 6: a computed value that stays the same is left out; its prior call comes before anybody knows",
            [
                observe(1, 0, .choice, [.prior, .old, .new], removing: true), observe(2, 0, .choice, .new),
                .assign(.a(1, 0)), .assign(.a(1, 3)),
            ],
            ["o1 prior old 0", "o2 after new 0", "o1 prior old 0", "o1 after old 0 new 3", "o2 after new 3"]),
        ModelTrace(
            "Rule 6: the value form is told the present value and each new one, or each that differs",
            [
                observe(1, 0, .b, [], .value), observe(2, 0, .b, [], .value, removing: true), .assign(.b(0, 0)), .assign(.b(0, 2)),
            ],
            ["o1 value new 0", "o2 value new 0", "o1 value new 0", "o1 value new 2", "o2 value new 2"]),
        ModelTrace(
            "Rule 8: in registration order, before and after; who comes again comes last",
            [
                observe(1, 0, .a, .prior), observe(2, 0, .a, .prior), observe(3, 0, .a, .prior), .assign(.a(0, 1)),
                .unobserve(1), observe(1, 0, .a, .new), .assign(.a(0, 2)),
            ],
            [
                "o1 prior", "o2 prior", "o3 prior", "o1 after", "o2 after", "o3 after",
                "o2 prior", "o3 prior", "o2 after", "o3 after", "o1 after new 2",
            ]),
        ModelTrace(
            "Rule 9: who is removed while it waits is not called",
            [
                observe(1, 0, .a, .new, .change, .removes(2, inPriorPhase: false)), observe(2, 0, .a, [.prior]), observe(3, 0, .a, []),
                .assign(.a(0, 1)),
            ],
            ["o2 prior", "o1 after new 1", "o3 after"]),
        ModelTrace(
            "Rule 9: who is removed before its prior call came gets no after call",
            [
                observe(1, 0, .a, .prior, .change, .removes(2, inPriorPhase: true)), observe(2, 0, .a, .prior), .assign(.a(0, 1)),
            ],
            ["o1 prior", "o1 after"]),
        ModelTrace(
            "Rule 9: who is added during a delivery does not hear the change under way",
            [
                observe(
                    1, 0, .a, [.prior, .new], .change, .adds(ModelObservation(2, 0, .a, [.initial, .prior, .new]), inPriorPhase: true)),
                .assign(.a(0, 1)), .assign(.a(0, 2)),
            ],
            [
                "o1 prior", "o2 initial new 0", "o1 after new 1",
                "o1 prior", "o2 prior", "o1 after new 2", "o2 after new 2",
            ]),
        ModelTrace(
            "Rule 10: who is removed between will and did does not hear the did",
            [
                observe(1, 0, .sum, [.prior], .change, .removesItself(inPriorPhase: true)), observe(2, 0, .sum, [.prior, .new]),
                .assign(.b(0, 4)),
            ],
            ["o1 prior", "o2 prior", "o2 after new 4"]),
        ModelTrace(
            "Rule 10: who is removed and registers again between will and did does not hear the did",
            [
                observe(1, 0, .quiet, .new), .announce(Place(0, .quiet), [.unobserve(1), observe(1, 0, .quiet, .new)]),
            ],
            []),
        ModelTrace(
            "Removing by controller, and by controller and node",
            [
                observe(1, 0, .a, .new, by: 0), observe(2, 0, .a, .new, by: 1), observe(3, 1, .a, .new, by: 1),
                .unobserveNode(controller: 1, 0), .assign(.a(0, 1)), .assign(.a(1, 1)),
                .unobserveAll(controller: 0), .assign(.a(0, 2)), .assign(.a(1, 2)),
            ],
            ["o1 after new 1", "o3 after new 1", "o3 after new 2"]),
        ModelTrace(
            "Rule 12: a change in place is one setting with whole values, also one that changes nothing",
            [
                observe(1, 0, .items, [.prior, .old, .new]), observe(2, 0, .items, .new, removing: true),
                .changeInPlace(.items(0, .append([1, 2]))), .changeInPlace(.items(0, .append([]))),
                .changeInPlace(.items(0, .remove(at: 0))),
            ],
            [
                "o1 prior old []", "o1 after old [] new [1, 2]", "o2 after new [1, 2]",
                "o1 prior old [1, 2]", "o1 after old [1, 2] new [1, 2]",
                "o1 prior old [1, 2]", "o1 after old [1, 2] new [2]", "o2 after new [2]",
            ]),
        ModelTrace(
            "Rule 12: numbers and sets are changed in place too",
            [
                observe(1, 3, .a), observe(2, 3, .set), .changeInPlace(.a(3, 2)), .changeInPlace(.set(3, .union([2, 1]))),
                .changeInPlace(.set(3, .minus([2]))),
            ],
            ["o1 after old 0 new 2", "o2 after old {} new {1, 2}", "o2 after old {1, 2} new {1}"]),
    ]

    static let keyPaths = [
        ModelTrace(
            "Rules 13, 16: what a getter reads is what a key depends on, once however often it is read",
            [
                observe(1, 0, .doubleSum), observe(2, 0, .diamond, [.prior, .old, .new]), .assign(.a(0, 1)), .assign(.b(0, 2)),
                .assign(.quiet(0, 3)),
            ],
            [
                "o2 prior old 0", "o1 after old 0 new 2", "o2 after old 0 new 4",
                "o2 prior old 4", "o1 after old 2 new 6", "o2 after old 4 new 10",
            ]),
        ModelTrace(
            "Rule 13: what a key depends on changes with its value",
            [
                observe(1, 0, .choice), .assign(.b(0, 1)), .assign(.a(1, 2)), .assign(.a(0, 6)), .assign(.a(1, 3)), .assign(.b(0, 4)),
                .assign(.a(0, 5)), .assign(.b(0, 9)),
            ],
            ["o1 after old 0 new 2", "o1 after old 2 new 1", "o1 after old 1 new 4", "o1 after old 4 new 3"]),
        ModelTrace(
            "Rule 14: each part of a nested path is heard; what was replaced is silent",
            [
                observe(1, 0, .innerInnerA, [.prior, .old, .new]), .assign(.a(2, 5)), .assign(.inner(0, 2)), .assign(.a(2, 6)),
                .assign(.a(1, 9)), .assign(.a(0, 8)),
            ],
            [
                "o1 prior old 0", "o1 after old 0 new 5",
                // n0 to n2 to n0
                "o1 prior old 5", "o1 after old 5 new 0",
                "o1 prior old 0", "o1 after old 0 new 8",
            ]),
        ModelTrace(
            "Rule 15: nil on the way is a present nil, optional once",
            [
                observe(1, 0, .nextNextA, all), .assign(.next(0, 1)), .assign(.next(1, 2)), .assign(.a(2, 3)), .assign(.next(0, nil)),
                .assign(.a(2, 4)),
            ],
            [
                "o1 initial new nil", "o1 prior old nil", "o1 after old nil new nil", "o1 prior old nil", "o1 after old nil new 0",
                "o1 prior old 0", "o1 after old 0 new 3", "o1 prior old 3", "o1 after old 3 new nil",
            ]),
        ModelTrace(
            "Rule 16: a cycle of objects is told once a change",
            [
                .assign(.next(0, 0)), observe(1, 0, .nextNextA), .assign(.a(0, 1)), .assign(.next(0, nil)),
            ],
            ["o1 after old 0 new 1", "o1 after old 1 new nil"]),
        ModelTrace(
            "Rules 13, 14: a computed property of another node",
            [
                observe(1, 0, .innerSum, .new), observe(2, 0, .nextSum, .new), .assign(.b(1, 2)), .assign(.next(0, 1)), .assign(.a(1, 1)),
                .assign(.inner(0, 2)),
            ],
            ["o1 after new 2", "o2 after new 2", "o1 after new 3", "o2 after new 3", "o1 after new 0"]),
        ModelTrace(
            "Rule 17: declared dependencies add to those that are read",
            [
                observe(1, 0, .label), .assign(.a(0, 1)), .assign(.b(1, 2)), .assign(.b(0, 1)), .foreign(0, 3),
                .announce(Place(0, .outside), [.foreign(0, 4)]),
            ],
            ["o1 after old 0 new 1", "o1 after old 1 new 1", "o1 after old 1 new 1", "o1 after old 1 new 4001"]),
        ModelTrace(
            "Rule 18: a chain keeps kind and positions, also one with a nil on the way; what is behind it does not",
            [
                .assign(.next(0, 1)), observe(1, 0, .innerItems), observe(2, 0, .innerItemsCount), observe(3, 0, .nextItems),
                .editItems(1, .own, .append([4, 5])), .assign(.inner(0, 2)),
            ],
            [
                "o1 after insertion new [4, 5] at [0, 1]", "o2 after old 0 new 2", "o3 after insertion new [4, 5] at [0, 1]",
                "o1 after old [4, 5] new []", "o2 after old 2 new 0",
            ]),
        ModelTrace(
            "Rule 18: a chain of two hops, the second to an object of the base class, and one to a set",
            [
                observe(1, 0, .innerPartItems, [.prior, .old, .new]), observe(2, 0, .partSet), .assign(.items(4, [1, 2, 3])),
                .editItems(4, .own, .remove(at: 1)), .editSet(3, .own, .union([7])),
            ],
            [
                "o1 prior old []", "o1 after old [] new [1, 2, 3]", "o1 prior removal old [2] at [1]", "o1 after removal old [2] at [1]",
                "o2 after insertion new {7}",
            ]),
        ModelTrace(
            "Rule 20: a stored property is one key, written by the subclass or by the base class",
            [
                observe(1, 0, .a, .new), observe(2, 0, .a, .new, base: true), observe(3, 0, .a, .new), .assign(.a(0, 1)),
            ],
            ["o1 after new 1", "o2 after new 1", "o3 after new 1"]),
    ]
}
