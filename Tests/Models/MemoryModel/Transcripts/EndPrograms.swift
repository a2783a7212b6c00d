extension EndTranscript {
    /// The beginning of a program.
    struct Setting {
        var kind: Kind
        var infos = 1
        /// How many of the infos, the last ones, are not registered yet.
        var unregistered = 0
        /// How many threads hold each info from the beginning.
        var holders: [Int]
        var hasActor = false
        var actorOwnsController = true
        var signalsEnd = false
        var keepsMemory = false
        var hasController = true
        var isPinned = false
        var hasPath = false
        /// `true` if the controller ends.
        var isEnded = true
    }
}

/// Programs in which observations end while other threads use them.
enum EndPrograms {
    typealias Setting = EndTranscript.Setting
    typealias Defect = EndTranscript.Defect
    private typealias Body = (EndTranscript, ModelThread) throws -> Void
    private typealias Thread = (name: String, sections: [Body])

    private static func program(_ name: String, _ setting: Setting, _ defect: Defect, _ threads: [Thread]) -> Program {
        var memory = Memory()
        let end = EndTranscript(&memory, setting, defect)
        return Program(
            Self.name(name, defect), memory,
            threads.map { thread in (thread.name, thread.sections.map { body in { t in try body(end, t) } }) }
        ) { try end.checkOver($0, isEnded: setting.isEnded) }
    }

    // MARK: What threads do

    /// A delivery of the thread that uses the region.
    private static var call: Body {
        { end, t in
            try end.forward(t, end.infos[0], EndTranscript.home)
            try end.release(t, end.infos[0])
        }
    }

    /// A delivery whose handler removes the observation.
    private static var callThatRemoves: Body {
        { end, t in
            try end.forward(t, end.infos[0], EndTranscript.home) { try end.remove(t, end.infos[0], $0) }
            try end.release(t, end.infos[0])
        }
    }

    private static var removal: Body { { end, t in try end.remove(t, end.infos[0], EndTranscript.home) } }
    private static var end: Body { { end, t in if try t.ghost(end.isEnded) == 0 { try end.endController(t, EndTranscript.home) } } }
    /// The end of the controller where the actor's `deinit` is not isolated.
    private static var endElsewhere: Body { { end, t in try end.endController(t, EndTranscript.elsewhere) } }

    private static func owner(_ sections: Body...) -> Thread { ("owner", sections) }

    /// The home, which lets go of its actor when it has done something, and then waits for a job or for the end of the actor.
    private static func livingHome(_ sections: Body...) -> Thread {
        (
            "home",
            sections + [
                { end, t in try end.releaseActor(t) },
                { end, t in try t.lock(end.job) },
                { end, t in try end.runJobs(t) },
            ]
        )
    }

    /// The last release of the object, on another thread, which ends an observation of it.
    private static func ender(of number: Int = 1) -> Thread {
        (
            "ender elsewhere",
            [
                { end, t in
                    try end.end(t, end.infos[number - 1], EndTranscript.elsewhere)
                    try end.release(t, end.infos[number - 1])
                },
                { end, t in try end.releaseRecord(t) },
            ]
        )
    }

    /// A delivery on another thread.
    ///
    /// A handler that has a home is not called there: this thread only finds out that it is elsewhere.
    private static var delivery: Thread {
        (
            "delivery elsewhere",
            [
                { end, t in
                    try end.forward(t, end.infos[0], EndTranscript.elsewhere)
                    try end.release(t, end.infos[0])
                }
            ]
        )
    }

    private static var visitor: Thread {
        (
            "visitor",
            [
                { end, t in
                    try end.touchRecord(t)
                    try end.touchOwner(t)
                    try end.release(t, end.infos[0])
                }
            ]
        )
    }

    // MARK: Programs

    /// An observation that was made in no isolation: only the thread of its controller calls and lets go.
    private static func regionPrograms(_ defect: Defect) -> [Program] {
        let setting = Setting(kind: .region, holders: [2], keepsMemory: true)
        let alone = Setting(kind: .region, holders: [2], isEnded: false)
        return [
            program("a call, a removal, an end elsewhere", setting, defect, [owner(call, removal, end), ender()]),
            program("a call, the controller's end, an end elsewhere", setting, defect, [owner(call, end), ender()]),
            program("a handler that removes, an end elsewhere", setting, defect, [owner(callThatRemoves, end), ender()]),
            program(
                "a handler that ends the controller, an end elsewhere", setting, defect,
                [
                    owner(
                        { end, t in
                            try end.forward(t, end.infos[0], EndTranscript.home) { try end.endController(t, $0) }
                            try end.release(t, end.infos[0])
                        }, end), ender(),
                ]),
            program("a call and an end elsewhere, while the controller stays", alone, defect, [owner(call), ender()]),
            program("the controller's end, an end elsewhere, a visitor", setting, defect, [owner(end), ender(), visitor]),
            program(
                "the controller's end, two ends elsewhere", Setting(kind: .region, holders: [2]), defect, [owner(end), ender(), ender()]),
            program(
                "a token ends, an end elsewhere",
                Setting(kind: .region, holders: [2], keepsMemory: true, hasController: false, isEnded: false), defect,
                [owner({ end, t in try end.endToken(t, end.infos[0], EndTranscript.home) }), ender()]),
            registration("a registration beside an end elsewhere", defect) { end, t in
                try end.register(t, end.infos[1], over: end.infos[0], EndTranscript.home)
            },
            registration("a registration after an end elsewhere, of which it knows", signalsEnd: true, defect) { end, t in
                try t.lock(end.job)
                let isNew = try end.register(t, end.infos[1], over: end.infos[0], EndTranscript.home)
                try t.check(isNew, "an observation is refused for the sake of one that has ended")
            },
        ]
    }

    /// The controller that has an observation registers another one of the same key.
    private static func registration(_ name: String, signalsEnd: Bool = false, _ defect: Defect, _ body: @escaping Body) -> Program {
        let setting = Setting(kind: .region, infos: 2, unregistered: 1, holders: [1, 0], signalsEnd: signalsEnd)
        return program(name, setting, defect, [owner(body, end), ender()])
    }

    /// An observation that was made on an actor.
    private static func homePrograms(_ defect: Defect) -> [Program] {
        let dying = Setting(kind: .home, holders: [2])
        let living = Setting(kind: .home, holders: [2], hasActor: true)
        return [
            program(
                "a call in the actor's deinit, the controller's end, an end elsewhere", dying, defect, [owner(call, endElsewhere), ender()]),
            program(
                "a handler that removes in the actor's deinit, an end elsewhere", dying, defect,
                [owner(callThatRemoves, endElsewhere), ender()]),
            program(
                "a handler that removes in the actor's deinit, a delivery elsewhere", dying, defect,
                [owner(callThatRemoves, endElsewhere), delivery]),
            program(
                "a dead actor, the controller's end, a delivery elsewhere", Setting(kind: .home, holders: [1]), defect,
                [owner(endElsewhere), delivery]),
            program(
                "a dead actor, an end and a delivery elsewhere", Setting(kind: .home, holders: [2], isEnded: false), defect,
                [ender(), delivery]),
            program("a call of a living home, an end elsewhere", living, defect, [livingHome(call), ender()]),
            program("a handler that removes in a living home, an end elsewhere", living, defect, [livingHome(callThatRemoves), ender()]),
            program(
                "a removal in a living home, an end elsewhere", Setting(kind: .home, holders: [1], hasActor: true), defect,
                [livingHome(removal), ender()]),
            program(
                "a living home, a delivery elsewhere", Setting(kind: .home, holders: [1], hasActor: true), defect,
                [livingHome(), delivery]),
            job(defect),
            endOfController(defect),
        ]
    }

    /// A job that comes while a handler runs: the handler waits in a run loop.
    private static func job(_ defect: Defect) -> Program {
        program(
            "a job comes in a call, which an end elsewhere has sent", Setting(kind: .home, holders: [2], hasActor: true), defect,
            [
                livingHome { end, t in
                    try end.forward(t, end.infos[0], EndTranscript.home) { try end.runJobs(t, $0) }
                    try end.release(t, end.infos[0])
                }, ender(),
            ])
    }

    /// The end of a controller that is released elsewhere, while the home lives.
    private static func endOfController(_ defect: Defect) -> Program {
        program(
            "the controller is released elsewhere, an end elsewhere",
            Setting(kind: .home, holders: [1], hasActor: true, actorOwnsController: false), defect,
            [
                (
                    "home",
                    [
                        { end, t in
                            try t.write(end.region, 1)
                            try t.lock(end.job)
                        },
                        { end, t in try end.runJobs(t) },
                    ]
                ),
                (
                    "release and end elsewhere",
                    [
                        { end, t in
                            try end.end(t, end.infos[0], EndTranscript.elsewhere)
                            try end.release(t, end.infos[0])
                        },
                        { end, t in try end.endController(t, EndTranscript.elsewhere) },
                    ]
                ),
            ])
    }

    /// The buffer of a sequence, which any thread fills.
    private static func bufferPrograms(_ defect: Defect) -> [Program] {
        [
            program(
                "a buffer, its controller's end, a delivery elsewhere", Setting(kind: .buffered, holders: [1]), defect,
                [owner(end), delivery]),
            program(
                "a buffer, a delivery and an end elsewhere", Setting(kind: .buffered, holders: [2], isEnded: false), defect,
                [delivery, ender()]),
            program(
                "a buffer of a living home, a removal, a delivery elsewhere",
                Setting(kind: .bufferedAtHome, holders: [1], hasActor: true), defect, [livingHome(removal), delivery]),
        ]
    }

    /// An observation of which any thread may let go.
    private static func freePrograms(_ defect: Defect) -> [Program] {
        [
            program(
                "any thread may let go: a delivery, a removal, an end elsewhere", Setting(kind: .free, holders: [2]), defect,
                [delivery, ender(), owner(end)])
        ]
    }

    /// The last value of a path.
    private static func pathPrograms(_ defect: Defect) -> [Program] {
        let two = Setting(kind: .region, infos: 2, holders: [0, 1], hasPath: true)
        return [
            program("a path, one observer removed, one ended elsewhere", two, defect, [owner(removal, end), ender(of: 2)]),
            program(
                "a path, a call and an end elsewhere", Setting(kind: .region, holders: [2], hasPath: true), defect,
                [owner(call, end), ender()]),
            program(
                "a path, an evaluation and an end elsewhere", Setting(kind: .region, holders: [1], hasPath: true), defect,
                [owner({ end, t in try end.evaluate(t) }, end), ender()]),
            program(
                "a path, one observer removed, one ended elsewhere, another home", two, defect,
                [owner(removal, end), ender(of: 2), ("another home", [{ end, t in try end.claim(t) }])]),
            program(
                "a path, an evaluation, one observer removed, one ended elsewhere", two, defect,
                [owner({ end, t in try end.evaluate(t) }, removal, end), ender(of: 2)]),
        ]
    }

    /// Deliveries pin the record, and the last one that goes releases the info.
    private static func pinPrograms(_ defect: Defect) -> [Program] {
        [
            program(
                "a third thread has the last pin, an end elsewhere",
                Setting(kind: .region, holders: [1], isPinned: true, isEnded: false), defect,
                [ender(), ("pinned", [{ end, t in try end.look(t) { try t.touch($0.memory) } }])])
        ]
    }

    private static func all(_ defect: Defect) -> [Program] {
        regionPrograms(defect) + homePrograms(defect) + bufferPrograms(defect) + freePrograms(defect) + pathPrograms(defect)
            + pinPrograms(defect)
    }

    /// Programs of more states than are visited with each weakening.
    static var mediumPrograms: [Program] {
        [
            program(
                "a call, the controller's end, two ends elsewhere", Setting(kind: .region, holders: [3]), .none,
                [owner(call, end), ender(), ender()]),
            program(
                "a dead actor, the controller's end, an end and a delivery elsewhere", Setting(kind: .home, holders: [2]), .none,
                [owner(endElsewhere), ender(), delivery]),
            program(
                "a buffer, the controller's end, a delivery and an end elsewhere", Setting(kind: .buffered, holders: [2]), .none,
                [owner(end), delivery, ender()]),
        ]
    }

    /// Programs of more states than a test visits in a few seconds.
    static var largePrograms: [Program] {
        [
            program(
                "a call in the actor's deinit, an end and a delivery elsewhere",
                Setting(kind: .home, holders: [3], isEnded: false), .none, [owner(call), ender(), delivery]),
            program(
                "a living home, an end and a delivery elsewhere", Setting(kind: .home, holders: [2], hasActor: true), .none,
                [livingHome(), ender(), delivery]),
            program(
                "a call of a living home, an end and a delivery elsewhere", Setting(kind: .home, holders: [3], hasActor: true), .none,
                [livingHome(call), ender(), delivery]),
            program(
                "a buffer of a living home, a delivery and an end elsewhere",
                Setting(kind: .bufferedAtHome, holders: [2], hasActor: true), .none, [livingHome(), delivery, ender()]),
            program(
                "a pinned call, a third thread that pins, an end elsewhere",
                Setting(kind: .region, holders: [1], isPinned: true, isEnded: false), .none,
                [
                    owner({ end, t in try end.look(t) { try end.forward(t, $0, EndTranscript.home) } }), ender(),
                    ("pinned", [{ end, t in try end.look(t) { try t.touch($0.memory) } }]),
                ]),
        ]
    }

    /// The program that finds each defect out.
    private static let finders: [(defect: Defect, program: String)] = [
        (.leaveDoesNotUnlink, "a path, a call and an end elsewhere"),
        (.setIsNotAsked, "a call, the controller's end, an end elsewhere"),
        (.countIsIgnored, "a handler that removes, an end elsewhere"),
        (.stackIsIgnored, "a handler that removes in a living home, an end elsewhere"),
        (.countDecidesAtHome, "a living home, a delivery elsewhere"),
        (.countDecidesForBuffers, "a buffer of a living home, a removal, a delivery elsewhere"),
        (.leaveDoesNotMove, "a dead actor, an end and a delivery elsewhere"),
        (.leaveIsInRegion, "a dead actor, an end and a delivery elsewhere"),
        (.leaveIsInRegion, "a buffer, a delivery and an end elsewhere"),
        (.oneBit, "a call, a removal, an end elsewhere"),
        (.enderOpens, "a call and an end elsewhere, while the controller stays"),
        (.isAddedLater, "a call, the controller's end, an end elsewhere"),
        (.isForgottenFirst, "a call, the controller's end, an end elsewhere"),
        (.endTakesTwice, "the controller's end, two ends elsewhere"),
        (.entryIsLeft, "a call and an end elsewhere, while the controller stays"),
        (.movedInCall, "a handler that removes, an end elsewhere"),
        (.movedWhileHomeLives, "the controller is released elsewhere, an end elsewhere"),
        (.reportedInCall, "a handler that removes, an end elsewhere"),
        (.jobKeepsNothing, "a call of a living home, an end elsewhere"),
        (.turnIsIgnored, "a path, an evaluation and an end elsewhere"),
        (.passTakesNothing, "a path, an evaluation and an end elsewhere"),
        (.homeOfPathIsIgnored, "a path, one observer removed, one ended elsewhere, another home"),
        (.tokenAsksTheMark, "a token ends, an end elsewhere"),
        (.markedIsPresent, "a registration after an end elsewhere, of which it knows"),
    ]

    static var defects: [Program] {
        finders.compactMap { finder in all(finder.defect).first { $0.name == name(finder.program, finder.defect) } }
    }

    private static func name(_ name: String, _ defect: Defect) -> String {
        "end: " + name + (defect == .none ? "" : ", " + defect.rawValue)
    }

    static var programs: [Program] { all(.none) }
}

extension EndTranscript {
    /// A delivery that pins the record and finds the info if it is still in the chain.
    func look(_ t: ModelThread, _ body: (Info) throws -> Void) throws {
        guard let pins, let head else { return }
        let unit = try pins.pin(t)
        if try t.load(head, ChainTranscript.walkHead) != 0 { try body(infos[0]) }
        if try pins.unpin(t, unit) != 0 { try release(t, infos[0]) }
    }
}
