import KeyValueModel

extension ModelTrace {
    static let collections = [
        ModelTrace(
            "Rule 27: insertion, removal and replacement tell the elements concerned, with positions in both phases",
            [
                observe(1, 0, .items, [.prior, .old, .new]), .editItems(0, .own, .append([1, 2, 3])),
                .editItems(0, .own, .insert([9], at: 1)),
                .editItems(0, .own, .removeLast), .editItems(0, .own, .replace(at: 0, with: 5)), .editItems(0, .own, .swap(2, 0)),
                .editItems(0, .own, .removeAll),
            ],
            [
                "o1 prior insertion at [0, 1, 2]", "o1 after insertion new [1, 2, 3] at [0, 1, 2]",
                "o1 prior insertion at [1]", "o1 after insertion new [9] at [1]",
                "o1 prior removal old [3] at [3]", "o1 after removal old [3] at [3]",
                "o1 prior replacement old [1] at [0]", "o1 after replacement old [1] new [5] at [0]",
                "o1 prior replacement old [5, 2] at [0, 2]", "o1 after replacement old [5, 2] new [2, 5] at [0, 2]",
                "o1 prior removal old [2, 9, 5] at [0, 1, 2]", "o1 after removal old [2, 9, 5] at [0, 1, 2]",
            ]),
        ModelTrace(
            "Rule 27: a range is replaced, inserted or removed, or the whole is set if the length differs",
            [
                .assign(.items(0, [1, 2, 3, 4])), observe(1, 0, .items),
                .editItems(0, .own, .replaceRange(at: 1, length: 2, with: [8, 9])),
                .editItems(0, .own, .replaceRange(at: 1, length: 0, with: [7])),
                .editItems(0, .own, .replaceRange(at: 3, length: 2, with: [])),
                .editItems(0, .own, .replaceRange(at: 0, length: 2, with: [6])),
            ],
            [
                "o1 after replacement old [2, 3] new [8, 9] at [1, 2]", "o1 after insertion new [7] at [1]",
                "o1 after removal old [9, 4] at [3, 4]", "o1 after old [1, 7, 8] new [6, 8]",
            ]),
        ModelTrace(
            "Rule 27: any other change is a setting of the whole, of arrays and of sets",
            [
                .assign(.items(0, [3, 1, 2])), .assign(.set(0, [1, 2])), observe(1, 0, .items, [.prior, .old, .new]), observe(2, 0, .set),
                .editItems(0, .own, .sort), .editSet(0, .own, .symmetricDifference([2, 3])),
            ],
            ["o1 prior old [3, 1, 2]", "o1 after old [3, 1, 2] new [1, 2, 3]", "o2 after old {1, 2} new {1, 3}"]),
        ModelTrace(
            "Rule 27: options choose among the elements; dependants and the value form are told whole values",
            [
                observe(1, 0, .items, .old), observe(2, 0, .items, .new), observe(3, 0, .items, [], .value), observe(4, 0, .itemsTotal),
                .editItems(0, .own, .append([1, 2])), .editItems(0, .own, .remove(at: 0)),
            ],
            [
                "o3 value new []", "o1 after insertion at [0, 1]", "o2 after insertion new [1, 2] at [0, 1]", "o3 value new [1, 2]",
                "o4 after old 0 new 3",
                "o1 after removal old [1] at [0]", "o2 after removal at [0]", "o3 value new [2]", "o4 after old 3 new 2",
            ]),
        ModelTrace(
            "Rule 28: sets tell what was really added, what really went, and the differences",
            [
                observe(1, 0, .set, [.prior, .old, .new]), .editSet(0, .own, .union([1, 2])), .editSet(0, .own, .union([2, 3])),
                .editSet(0, .own, .insert(3)), .editSet(0, .own, .minus([1, 9])), .editSet(0, .own, .intersect([3, 4])),
                .editSet(0, .own, .replace([3, 5])), .editSet(0, .own, .replace([6])), .assign(.set(0, [])),
            ],
            [
                "o1 prior insertion", "o1 after insertion new {1, 2}",
                "o1 prior insertion", "o1 after insertion new {3}",
                "o1 prior insertion", "o1 after insertion new {}",
                "o1 prior removal old {1}", "o1 after removal old {1}",
                "o1 prior removal old {2}", "o1 after removal old {2}",
                "o1 prior replacement old {}", "o1 after replacement old {} new {5}",
                "o1 prior replacement old {3, 5}", "o1 after replacement old {3, 5} new {6}",
                "o1 prior old {6}", "o1 after old {6} new {}",
            ]),
        ModelTrace(
            "Rules 12, 28: an edit that changes nothing is announced, and left out for who removes duplicates",
            [
                observe(1, 0, .items), observe(2, 0, .items, .new, removing: true), .editItems(0, .own, .append([])),
                .editItems(0, .own, .removeAll), .editItems(0, .own, .append([1])), .editItems(0, .own, .replace(at: 0, with: 1)),
            ],
            [
                "o1 after insertion new [] at []", "o1 after removal old [] at []",
                "o1 after insertion new [1] at [0]", "o2 after insertion new [1] at [0]",
                "o1 after replacement old [1] new [1] at [0]",
            ]),
        ModelTrace(
            "Rule 29: every route announces once: a proxy through other nodes, a pair by hand",
            [
                observe(1, 1, .items), observe(2, 0, .innerItems, .new), observe(3, 0, .partItems, .new),
                .editItems(0, .inner, .append([1])), .announceItems(1, .insert([2], at: 0)), .editItems(2, .part, .append([3])),
                .announce(Place(1, .items), [.editItems(1, .own, .removeAll), .changeInPlace(.items(1, .append([5])))]),
            ],
            [
                "o1 after insertion new [1] at [0]", "o2 after insertion new [1] at [0]",
                "o1 after insertion new [2] at [0]", "o2 after insertion new [2] at [0]",
                "o3 after insertion new [3] at [0]",
                "o1 after old [2, 1] new [5]", "o2 after new [5]",
            ]),
        ModelTrace(
            "Rule 29: the set routes too",
            [
                observe(1, 0, .innerSet), .editSet(0, .inner, .union([1])), .announceSet(1, .minus([1, 2])), .announceSet(1, .replace([3])),
                .announce(Place(1, .set), [.editSet(1, .own, .insert(4))]),
            ],
            [
                "o1 after insertion new {1}", "o1 after removal old {1}", "o1 after replacement old {} new {3}",
                "o1 after old {3} new {3, 4}",
            ]),
    ]
}
