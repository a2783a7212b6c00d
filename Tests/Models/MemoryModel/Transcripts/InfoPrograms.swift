extension InfoTranscript {
    private typealias Body = (name: String, body: (InfoTranscript, ModelThread) throws -> Void)

    private static func program(
        _ name: String, isStarting: Bool = false, isLogged: Bool = false, isPaused: Bool = false, isMarked: Bool = false,
        defect: Defect = .none, _ threads: [Body],
        isOver: @escaping (InfoTranscript, ModelThread) throws -> Void = { try $0.checkEnded($1) }
    ) -> Program {
        var memory = Memory()
        let info = InfoTranscript(
            &memory, isStarting: isStarting, isLogged: isLogged, isPaused: isPaused, isMarked: isMarked, defect: defect)
        return Program(name, memory, threads.map { thread in (thread.name, [{ try thread.body(info, $0) }]) }) { try isOver(info, $0) }
    }

    private static var caller: Body { ("delivery", { try $0.forward($1) }) }
    private static var removal: Body { ("removal", { try $0.remove($1) }) }

    static var programs: [Program] {
        [
            program("state: a delivery and a removal", [caller, removal]),
            program("state: a delivery that is left out, and a removal", [("delivery", { try $0.forward($1, isLeftOut: true) }), removal]),
            program("state: two removals and a delivery", [caller, removal, removal]),
            program(
                "state: a handler that removes its observation, and a removal",
                [
                    ("delivery", { info, t in try info.forward(t) { try info.remove(t) } }), removal,
                ]),
            program(
                "state: a look and a removal, logged", isLogged: true,
                [
                    (
                        "look",
                        { info, t in
                            let isLogged = try t.load(info.state, Self.isLogged) & Self.logged != 0
                            if try t.load(info.state, Self.deliveries) / Self.delivery > 1 { try t.check(isLogged, "nothing is delivered") }
                        }
                    ), removal, removal,
                ]),
            program(
                "state: a removal while the info is linked",
                [
                    ("registration", { try $0.link($1) }), ("removal", { try $0.removeAndUnlink($1) }),
                ]
            ) { info, t in
                try info.checkEnded(t)
                try t.check(t.read(info.isLinked) == 0, "an info is linked that is removed")
            },
            program(
                "marks: two threads hand over values", [("first", { try $0.change($1) }), ("second", { try $0.change($1) })]
            ) { try $0.checkHeard($1, 3) },
            program(
                "start: a value arrives during the initial call", isStarting: true,
                [("registration", { try $0.start($1) }), ("writer", { try $0.change($1) })]
            ) { try $0.checkHeard($1, 2) },
            program(
                "start: changes arrive during the initial call", isStarting: true,
                [
                    ("registration", { try $0.start($1, takesValues: false) }),
                    (
                        "writer",
                        { info, t in
                            try info.forward(t)
                            try info.forward(t)
                        }
                    ),
                ]
            ) { info, t in
                try info.checkIdle(t)
                try t.check(t.ghost(info.calls) == 3, "a change is lost, or told twice")
            },
        ]
    }

    /// Threads change a value elsewhere, each a number of times, while its home does something; then the home waits for them.
    private static func home(
        _ name: String, _ changes: [Int], isStarting: Bool = false, isRemoved: Bool = false,
        _ home: @escaping (InfoTranscript, ModelThread) throws -> Void
    ) -> Program {
        var memory = Memory()
        let info = InfoTranscript(&memory, isStarting: isStarting, hasHome: true)
        let ends = changes.map { _ in memory.lock("the end of a writer", isHeld: true) }
        let writers: [Program.Thread] = zip(changes, ends).map { count, end in
            (
                "writer elsewhere",
                [
                    { t in
                        for _ in 0..<count { try info.changeElsewhere(t) }
                        try t.unlock(end)
                    }
                ]
            )
        }
        let reader: Program.Thread = (
            "home",
            [
                { t in
                    try home(info, t)
                    for end in ends { try t.lock(end) }
                    while try t.ghost(info.jobs) > 0 { try info.comeHome(t) }
                }
            ]
        )
        return Program("home: " + name, memory, [reader] + writers) { t in
            if isRemoved { return try info.checkEnded(t) }
            try t.check(t.ghost(info.last) == t.load(info.changes, SpellingTranscript.lastChange), "the newest value has not come home")
            try info.checkIdle(t)
        }
    }

    private static func comeHomeMeanwhile(_ info: InfoTranscript, _ t: ModelThread) throws {
        _ = try t.load(info.state, Self.isLogged)
        try info.comeHome(t)
    }

    /// Values that are changed elsewhere come home, with one job at a time, and the newest is told.
    static var homePrograms: [Program] {
        [
            home("a value is changed elsewhere twice", [2], comeHomeMeanwhile),
            home("two threads change a value elsewhere", [1, 1], comeHomeMeanwhile),
            home("a value is changed there and elsewhere", [1]) { try $0.change($1) },
            home("a value is changed elsewhere during the initial call", [1], isStarting: true) { try $0.start($1) },
            home("a removal while a value comes home", [1], isRemoved: true) { try $0.remove($1) },
        ]
    }

    private static var pauseAndResumption: Body {
        (
            "pause",
            { info, t in
                try info.pause(t)
                try info.resume(t)
            }
        )
    }

    /// A controller is paused and resumed while values arrive.
    static var pausePrograms: [Program] {
        [
            program("pause: a value arrives meanwhile", [("writer", { try $0.change($1) }), pauseAndResumption]) {
                try $0.checkHeard($1, 2)
            },
            program("pause: no call starts after it", [("writer", { try $0.change($1) }), ("pause", { try $0.pause($1) })]) { _, _ in },
            program(
                "pause: a removal follows",
                [
                    (
                        "pause",
                        { info, t in
                            try info.pause(t)
                            try info.removeFromSet(t)
                        }
                    ), ("writer", { try $0.change($1) }),
                ]),
            resumedStart(.none),
        ]
    }

    /// An observation is registered while the controller is paused, there is a mark, and the controller is resumed during the initial call.
    static func resumedStart(_ defect: Defect) -> Program {
        program(
            defect == .none ? "pause: resumed during the initial call" : "pause: resumed without asking for the initial call",
            isStarting: true, isPaused: true, isMarked: true, defect: defect,
            [("registration", { try $0.start($1) }), ("resumption", { try $0.resume($1) })]
        ) { try $0.checkHeard($1, 2) }
    }

    /// Programs of more states than are visited with each weakening.
    static var mediumPrograms: [Program] {
        [
            program(
                "pause: two values arrive meanwhile",
                [
                    (
                        "writer",
                        { info, t in
                            try info.change(t)
                            try info.change(t)
                        }
                    ), pauseAndResumption,
                ]
            ) { try $0.checkHeard($1, 3) },
            program("state: two deliveries and a removal", [caller, caller, removal]),
            program(
                "marks: two threads hand over values, and a removal",
                [
                    ("first", { try $0.change($1) }),
                    (
                        "second",
                        { info, t in
                            try info.change(t)
                            try info.remove(t)
                        }
                    ),
                ]),
        ]
    }

    /// Programs of more states than a test visits in a minute.
    static var largePrograms: [Program] {
        [
            program(
                "start: values arrive during the initial call", isStarting: true,
                [
                    ("registration", { try $0.start($1) }),
                    (
                        "writer",
                        { info, t in
                            try info.change(t)
                            try info.change(t)
                        }
                    ),
                ]
            ) { try $0.checkHeard($1, 3) },
            program(
                "start: a removal during the initial call", isStarting: true,
                [
                    ("registration", { try $0.start($1) }),
                    (
                        "writer",
                        { info, t in
                            try info.change(t)
                            try info.remove(t)
                        }
                    ),
                ]),
            program(
                "pause: two threads hand over values",
                [
                    ("first", { try $0.change($1) }), ("second", { try $0.change($1) }), pauseAndResumption,
                ]
            ) { try $0.checkHeard($1, 3) },
            program(
                "pause: a value arrives meanwhile, and a removal",
                [
                    ("writer", { try $0.change($1) }), pauseAndResumption, ("removal", { try $0.removeFromSet($1) }),
                ]),
            program(
                "marks: two threads hand over values, a third removes",
                [("first", { try $0.change($1) }), ("second", { try $0.change($1) }), removal]),
        ]
    }
}

extension InfoTranscript {
    // MARK: When all is over

    /// Checks that the observation has ended once, with all its calls counted.
    func checkEnded(_ t: ModelThread) throws {
        try t.check(t.ghost(ends) == 1, "an observation was removed, and does not end")
        try t.check(t.ghost(opens) == 1, "a handler is not let go of once")
        let (made, counted) = try (t.ghost(calls), t.ghost(counted))
        try t.check(made == counted, "\(made) calls were made, \(counted) counted")
        try t.check(t.load(state, EndTranscript.atEnd) & Self.callMask == 0, "somebody is counted in for ever")
    }

    /// Checks that nothing waits, and that the handler has the value of the change `number`, the last one.
    func checkHeard(_ t: ModelThread, _ number: Int) throws {
        try checkIdle(t)
        try t.check(t.ghost(last) == number, "the last value is not the one that the handler has")
    }

    func checkIdle(_ t: ModelThread) throws {
        try t.check(t.load(state, EndTranscript.atEnd) & (Self.marked | Self.starting | Self.callMask) == 0, "something waits for nobody")
    }
}
