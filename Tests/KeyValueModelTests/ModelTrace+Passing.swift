import KeyValueModel

/// What key paths tell of the change of a collection, and what is told of properties that a subclass overrides.
extension ModelTrace {
    static let passing = [
        ModelTrace(
            "Rule 18: kinds and indexes survive constant hops, optional chains and getters that return the collection itself",
            [
                .assign(.next(0, 1)), .assign(.weak(0, 1)), observe(1, 0, .fixedItems, .new), observe(2, 0, .nextItems, .new),
                observe(3, 0, .weakItems, .new), observe(4, 3, .same, .new), observe(5, 0, .fixedSame, .new),
                observe(6, 0, .innerSame, .new), observe(7, 0, .accessedItems, .new), observe(8, 0, .nextSame, .new),
                .editItems(3, .own, .append([7])), .editItems(1, .own, .append([8])),
            ],
            ["o1", "o4", "o5"].map { "\($0) after insertion new [7] at [0]" }
                + ["o2", "o3", "o6", "o7", "o8"].map { "\($0) after insertion new [8] at [0]" }),
        ModelTrace(
            "Rule 18: what a getter makes from a collection is set, also what it makes from an empty one",
            [observe(1, 0, .sorted, [.prior, .old, .new]), .editItems(0, .own, .append([2])), .editItems(0, .own, .insert([1], at: 1))],
            ["o1 prior old []", "o1 after old [] new [2]", "o1 prior old [2]", "o1 after old [2] new [1, 2]"]),
        ModelTrace(
            "Rule 18: a prior call passes on what the after call cannot, if the value is not the property's any more",
            [
                .assign(.items(0, [1, 2])), observe(1, 0, .bounded, [.prior, .new]), .editItems(0, .own, .append([3])),
                .editItems(0, .own, .removeLast), .editItems(0, .own, .removeLast),
            ],
            [
                "o1 prior insertion at [2]", "o1 after new [77]", "o1 prior", "o1 after new [1, 2]", "o1 prior removal at [1]",
                "o1 after removal at [1]",
            ]),
        ModelTrace(
            "Rules 18, 47: in a batch, a prior call passes what is a setting at the end, with the whole old value",
            [
                .assign(.items(3, [1, 2])), observe(1, 0, .fixedItems, [.prior, .old, .new]),
                .batch([.editItems(3, .own, .removeLast), .editItems(3, .own, .removeLast)]),
            ],
            ["o1 prior removal old [2] at [1]", "o1 after old [1, 2] new [] at the end of the batch"]),
    ]

    static let overrides = [
        ModelTrace(
            "Rule 20b: who observes an overridden property is told what the getter returns, whichever class begins the key path",
            [
                observe(1, 0, .shade, [.prior, .old, .new]), observe(2, 0, .shade, [], .value, base: true), observe(3, 3, .shade),
                observe(4, 0, .innerShade, .new), .assign(.shade(0, 1)), .assign(.shade(1, 2)), .assign(.shade(3, 3)),
            ],
            ["o2 value new 0", "o1 prior old 0", "o1 after old 0 new 2", "o2 value new 2", "o4 after new 4", "o3 after old 0 new 3"]),
        ModelTrace(
            "Rule 20b: an override that reads more is followed to what it reads",
            [observe(1, 0, .width), observe(2, 2, .innerWidth, .new), .assign(.width(0, 1)), .assign(.b(0, 2))],
            ["o1 after old 0 new 1", "o2 after new 1", "o1 after old 1 new 3", "o2 after new 3"]),
        ModelTrace(
            "Rule 20b: a proxy edits through the setter; the kind is kept if the result is what was announced",
            [
                .assign(.tags(0, [1, 9, 2])), observe(1, 0, .tags, [.prior, .old, .new]), observe(2, 2, .innerTags, .new),
                .editTags(0, .append([1])), .editTags(0, .append([2])), .editTags(0, .replace(at: 0, with: 7)),
            ],
            [
                "o1 prior insertion at [3]", "o1 after insertion new [1] at [3]", "o2 after insertion new [1] at [3]",
                "o1 prior insertion at [4]", "o1 after old [1, 2, 2, 1] new [1, 2, 2, 1]", "o2 after new [1, 2, 2, 1]",
                "o1 prior replacement old [1] at [0]", "o1 after old [1, 2, 2, 1] new [2, 2, 2, 1]", "o2 after new [2, 2, 2, 1]",
            ]),
        ModelTrace(
            "Rules 20b, 26: a manual notification of elements of an overridden property tells what is there then",
            [
                observe(1, 0, .tags, [.prior, .old, .new]), observe(2, 2, .innerTags, .new), .announceTags(0, .append([1, 9, 2])),
                .announceTags(0, .removeLast), .announceTags(0, .append([0, 0, 0])), .changeInPlace(.tags(0, .append([9]))),
            ],
            [
                "o1 prior insertion at [0, 1, 2]", "o1 after insertion new [1, 2, 2] at [0, 1, 2]",
                "o2 after insertion new [1, 2, 2] at [0, 1, 2]", "o1 prior removal old [2] at [2]", "o1 after removal old [2] at [2]",
                "o2 after removal at [2]", "o1 prior insertion at [2, 3, 4]", "o1 after old [1, 2] new [1, 2, 0, 0]",
                "o2 after new [1, 2, 0, 0]", "o1 prior old [1, 2, 0, 0]", "o1 after old [1, 2, 0, 0] new [1, 2, 0, 0]",
                "o2 after new [1, 2, 0, 0]",
            ]),
    ]
}
