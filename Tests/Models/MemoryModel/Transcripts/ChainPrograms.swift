extension ChainTranscript {
    /// A call: it reads what the info holds.
    private func read(_ t: ModelThread, _ word: Int) throws {
        try t.check(t.read(info(word).contents) == 1, "info \(word) is called before it is made")
    }

    private static func program(
        _ name: String, linked: Int, of count: Int, expected: [[Int]], defect: PinTranscript.Defect = .none,
        _ threads: [(name: String, body: (ChainTranscript, ModelThread) throws -> Void)]
    ) -> Program {
        var memory = Memory()
        let chain = ChainTranscript(&memory, linked: linked, of: count, PinTranscript(&memory, defect: defect))
        return Program(
            name, memory, threads.map { thread in (thread.name, [{ try thread.body(chain, $0) }]) }
        ) { try chain.checkOver($0, expected) }
    }

    private typealias Body = (name: String, body: (ChainTranscript, ModelThread) throws -> Void)

    private static var delivery: Body { ("delivery", { chain, t in try chain.deliver(t) { try chain.read(t, $0) } }) }
    private static func removal(of words: Int...) -> Body {
        ("removal", { chain, t in for word in words { try chain.unlink(t, word) } })
    }
    private static func addition(of word: Int) -> Body { ("addition", { chain, t in try chain.link(t, word) }) }

    static var programs: [Program] {
        [
            program("chain: remove the first", linked: 2, of: 2, expected: [[2]], [delivery, removal(of: 1)]),
            program("chain: remove the last", linked: 2, of: 2, expected: [[1]], [delivery, removal(of: 2)]),
            program("chain: remove the only one", linked: 1, of: 1, expected: [[]], [delivery, removal(of: 1)]),
            program("chain: add to none", linked: 0, of: 1, expected: [[1]], [delivery, addition(of: 1)]),
            program("chain: add behind another", linked: 1, of: 2, expected: [[1, 2]], [delivery, addition(of: 2)]),
            program("chain: two add", linked: 0, of: 2, expected: [[1, 2], [2, 1]], [addition(of: 1), addition(of: 2)]),
            program(
                "chain: add the last and remove the one before", linked: 2, of: 3, expected: [[1, 3]],
                [
                    delivery,
                    (
                        "addition and removal",
                        { chain, t in
                            try chain.link(t, 3)
                            try chain.unlink(t, 2)
                        }
                    ),
                ]),
            program(
                "chain: a delivery asks when infos were linked", linked: 1, of: 1, expected: [[]],
                [
                    (
                        "delivery",
                        { chain, t in
                            try chain.deliver(t) { word in
                                let number = try t.load(chain.info(word).linkedAt, InfoTranscript.isLinkedAfter)
                                try t.check([0, 1].contains(number), "a number is read that the info never had")
                            }
                        }
                    ), removal(of: 1),
                ]),
            replacement,
            program(
                "chain: add while another is removed", linked: 1, of: 2, expected: [[2]],
                [
                    (
                        "delivery",
                        { chain, t in
                            if try chain.isEmpty(t) { return }
                            try chain.deliver(t) { try chain.read(t, $0) }
                        }
                    ), removal(of: 1), addition(of: 2),
                ]),
            program("pins: two removals and a delivery", linked: 2, of: 2, expected: [[]], [delivery, removal(of: 1), removal(of: 2)]),
            program(
                "pins: a thread that delivers twice", linked: 1, of: 1, expected: [[]],
                [
                    ("deliveries", { chain, t in for _ in 0..<2 { try chain.deliver(t) { try chain.read(t, $0) } } }), removal(of: 1),
                ]),
            program("pins: one thread removes two", linked: 2, of: 2, expected: [[]], [delivery, removal(of: 1, 2)]),
        ]
    }

    /// Programs of more states than are visited with each weakening.
    static var mediumPrograms: [Program] {
        [
            program("pins: two deliveries and a removal", linked: 1, of: 1, expected: [[]], [delivery, delivery, removal(of: 1)])
        ]
    }

    /// Programs of more states than a test visits in a minute.
    static var largePrograms: [Program] {
        [program("pins: two deliveries and two removals", linked: 2, of: 2, expected: [[]], [delivery, delivery, removal(of: 1, 2)])]
    }

    /// What the pins would be without a part of their protocol.
    static var defects: [Program] {
        [
            program(
                "pins: a load asks for deliveries", linked: 1, of: 1, expected: [[]], defect: .presentIsLoaded, [delivery, removal(of: 1)]),
            program(
                "pins: nothing is collected after it was said that something waits", linked: 1, of: 1, expected: [[]],
                defect: .retireDoesNotCollect, [delivery, removal(of: 1)]),
        ]
    }

    /// An info is put in the place of another: a delivery finds the one or the other, or both.
    private static var replacement: Program {
        var memory = Memory()
        let chain = ChainTranscript(&memory, linked: 1, of: 2, PinTranscript(&memory))
        return Program(
            "chain: replace", memory,
            [
                (
                    "delivery",
                    [
                        { t in
                            var found = 0
                            try chain.deliver(t) { word in
                                try chain.read(t, word)
                                found += 1
                            }
                            try t.check(found > 0, "a delivery finds neither the replaced info nor the new one")
                        }
                    ]
                ),
                (
                    "replacement",
                    [
                        { t in
                            try chain.link(t, 2, inPlaceOf: 1)
                            try chain.unlink(t, 1)
                        }
                    ]
                ),
            ]
        ) { try chain.checkOver($0, [[2]]) }
    }
}
