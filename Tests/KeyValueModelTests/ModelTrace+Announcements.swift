import KeyValueModel

extension ModelTrace {
    static let byHand = [
        ModelTrace(
            "Rule 21: assignment of a quiet property is silent, for its dependants too; announced by hand it is heard",
            [
                observe(1, 0, .quiet, [.prior, .old, .new]), observe(2, 0, .quietDouble), .assign(.quiet(0, 1)),
                .announce(Place(0, .quiet), [.assign(.quiet(0, 2)), .assign(.quiet(0, 3))]),
            ],
            ["o1 prior old 1", "o1 after old 1 new 3", "o2 after old 0 new 6"]),
        ModelTrace(
            "A key over foreign state is heard when it is announced",
            [
                observe(1, 0, .outside), .foreign(0, 1), .announce(Place(0, .outside), [.foreign(0, 2)]), .pair(Place(0, .outside), []),
            ],
            ["o1 after old 100 new 200", "o1 after old 200 new 200"]),
        ModelTrace(
            "Rule 22: announcements of different keys nest",
            [
                observe(1, 0, .quiet, .prior), observe(2, 0, .outside, .prior),
                .announce(Place(0, .quiet), [.announce(Place(0, .outside), [])]),
            ],
            ["o1 prior", "o2 prior", "o2 after", "o1 after"]),
        ModelTrace(
            "Rule 22: an assignment inside the announcement of another key is a change of its own",
            [
                observe(1, 0, .sum), .announce(Place(0, .a), [.assign(.a(0, 5)), .assign(.b(0, 1))]),
            ],
            ["o1 after old 0 new 6", "o1 after old 6 new 6"]),
        ModelTrace(
            "Rule 23: nested announcements of one key are one; assignments inside are part of it",
            [
                observe(1, 0, .a, [.prior, .old, .new]),
                .announce(Place(0, .a), [.announce(Place(0, .a), [.assign(.a(0, 1))]), .assign(.a(0, 2)), .changeInPlace(.a(0, 3))]),
            ],
            ["o1 prior old 0", "o1 after old 0 new 5"]),
        ModelTrace(
            "Rule 23: assignments inside a plain pair are part of it",
            [
                observe(1, 0, .a, [.prior, .old, .new]), .pair(Place(0, .a), [.assign(.a(0, 1)), .assign(.a(0, 2))]),
                .pair(Place(0, .a), []),
            ],
            [
                "o1 prior old 0", "o1 after old 0 new 2", "o1 prior old 2", "o1 after old 2 new 2",
            ]),
        ModelTrace(
            "Rule 25: the first observer of a key, inside a plain pair, gets nothing of that change",
            [.pair(Place(0, .a), [observe(1, 0, .a), .assign(.a(0, 1))]), .assign(.a(0, 2))], ["o1 after old 1 new 2"]),
        ModelTrace(
            "Rule 24: did without will delivers nothing and harms nothing later",
            [
                observe(1, 0, .a), observe(2, 0, .quiet), .didAlone(Place(0, .a)), .didAlone(Place(0, .quiet)), .assign(.a(0, 1)),
                .announce(Place(0, .quiet), [.assign(.quiet(0, 1))]),
            ],
            ["o1 after old 0 new 1", "o2 after old 0 new 1"]),
        ModelTrace(
            "Rule 25: who registers between will and did does not hear that did",
            [
                observe(1, 0, .a), .announce(Place(0, .a), [observe(2, 0, .a, all), .assign(.a(0, 1))]), .assign(.a(0, 2)),
            ],
            ["o2 initial new 0", "o1 after old 0 new 1", "o2 prior old 1", "o1 after old 1 new 2", "o2 after old 1 new 2"]),
    ]

    static let batches = [
        ModelTrace(
            "Rule 47: a batch is told at its end, with the first old and the last new value",
            [
                observe(1, 0, .a, [.prior, .old, .new]), observe(2, 0, .sum),
                .batch([.assign(.a(0, 1)), .assign(.a(0, 2)), .assign(.b(0, 3))]), .assign(.a(0, 4)),
            ],
            [
                "o1 prior old 0", "o1 after old 0 new 2 at the end of the batch", "o2 after old 0 new 5 at the end of the batch",
                "o1 prior old 2", "o1 after old 2 new 4", "o2 after old 5 new 7",
            ]),
        ModelTrace(
            "Rule 47: in registration order, at the end of the outermost batch, nothing for who heard nothing",
            [
                observe(1, 0, .b, .new), observe(2, 0, .a, .new), observe(3, 0, .quiet, .new), observe(4, 0, .b, .new),
                .batch([.batch([.assign(.a(0, 1))]), .assign(.b(0, 1)), .assign(.a(0, 2))]), .batch([]),
            ],
            ["o1 after new 1", "o2 after new 2", "o4 after new 1"].map { $0 + " at the end of the batch" }),
        ModelTrace(
            "Rule 47: at the end of a batch, each key gives a setting",
            [
                observe(1, 0, .items), observe(2, 1, .items, [.prior, .old, .new]), observe(3, 0, .set),
                .batch([
                    .editItems(0, .own, .append([1])), .editItems(1, .own, .append([2])), .editItems(1, .own, .append([3])),
                    .editSet(0, .own, .union([1])), .assign(.set(0, [2])),
                ]),
            ],
            [
                "o2 prior insertion at [0]", "o1 after old [] new [1] at the end of the batch",
                "o2 after old [] new [2, 3] at the end of the batch", "o3 after old {} new {2} at the end of the batch",
            ]),
        ModelTrace(
            "Rules 9, 47: who comes during a batch hears what comes after it, who goes hears nothing",
            [
                observe(1, 0, .a),
                .batch([
                    .assign(.a(0, 1)), observe(2, 0, .a, all), observe(3, 0, .a), .assign(.a(0, 2)), .unobserve(1),
                ]),
            ],
            [
                "o2 initial new 1", "o2 prior old 1", "o2 after old 0 new 2 at the end of the batch",
                "o3 after old 0 new 2 at the end of the batch",
            ]),
        ModelTrace(
            "Rules 6, 47: a batch that ends where it began is left out for who removes duplicates",
            [
                observe(1, 0, .a), observe(2, 0, .a, removing: true), .batch([.assign(.a(0, 1)), .assign(.a(0, 0))]),
                .batch([.assign(.a(0, 0)), .assign(.a(0, 1))]),
            ],
            [
                "o1 after old 0 new 0 at the end of the batch", "o1 after old 0 new 1 at the end of the batch",
                "o2 after old 0 new 1 at the end of the batch",
            ]),
        ModelTrace(
            "Rules 23, 47: an announcement inside a batch is one change of it, a batch inside an announcement ends inside",
            [
                observe(1, 0, .quiet), observe(2, 0, .b), .batch([.announce(Place(0, .quiet), [.assign(.quiet(0, 1))])]),
                .announce(Place(0, .quiet), [.batch([.assign(.b(0, 1)), .assign(.quiet(0, 2)), .assign(.b(0, 2))])]),
            ],
            [
                "o1 after old 0 new 1 at the end of the batch", "o2 after old 0 new 2 at the end of the batch", "o1 after old 1 new 2",
            ]),
        ModelTrace(
            "Rules 14, 47: a path that leads elsewhere at the end",
            [
                .assign(.a(2, 7)), observe(1, 0, .innerA), .batch([.assign(.inner(0, 2)), .assign(.a(1, 9)), .assign(.a(2, 8))]),
                .assign(.a(2, 6)), .assign(.a(1, 5)),
            ],
            ["o1 after old 0 new 8 at the end of the batch", "o1 after old 8 new 6"]),
    ]
}
