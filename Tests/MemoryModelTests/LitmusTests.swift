import MemoryModel
import Testing

/// The checker itself is checked by programs whose answers are known from the literature on RC11.
@Suite struct LitmusTests {
    static var all: [Litmus] {
        let (rlx, acq, rel, both, fence) = (Litmus.relaxed, Litmus.acquiring, Litmus.releasing, Litmus.both, Litmus.fence)
        func sb(_ name: String, _ store: Site, _ load: Site, fences: Int, allowed: Bool) -> Litmus {
            Litmus(
                name, allowed: [[0, 1], [1, 0], [1, 1]] + (allowed ? [[0, 0]] : []), forbidden: allowed ? [] : [[0, 0]],
                [0, 1].map { mine in
                    { t, w, r in
                        try t.store(w[mine], 1, store)
                        if fences > mine { try t.fence(fence) }
                        try t.setGhost(r[mine], t.load(w[1 - mine], load))
                    }
                })
        }
        func mp(_ name: String, _ store: Site, _ load: Site, allowed: Bool) -> Litmus {
            Litmus(
                name, allowed: [[0, 0], [0, 1], [1, 1]] + (allowed ? [[1, 0]] : []), forbidden: allowed ? [] : [[1, 0]],
                [
                    { t, w, _ in
                        try t.store(w[0], 1, rlx)
                        try t.store(w[1], 1, store)
                    },
                    { t, w, r in
                        try t.setGhost(r[0], t.load(w[1], load))
                        try t.setGhost(r[1], t.load(w[0], rlx))
                    },
                ])
        }
        func mpFences(_ name: String, _ first: Site?, _ second: Site?, allowed: Bool) -> Litmus {
            Litmus(
                name, allowed: [[0, 0], [0, 1], [1, 1]] + (allowed ? [[1, 0]] : []), forbidden: allowed ? [] : [[1, 0]],
                [
                    { t, w, _ in
                        try t.store(w[0], 1, rlx)
                        if let first { try t.fence(first) }
                        try t.store(w[1], 1, rlx)
                    },
                    { t, w, r in
                        try t.setGhost(r[0], t.load(w[1], rlx))
                        if let second { try t.fence(second) }
                        try t.setGhost(r[1], t.load(w[0], rlx))
                    },
                ])
        }
        func iriw(_ name: String, _ load: Site, fences: Bool, allowed: Bool) -> Litmus {
            Litmus(
                name, results: 4, allowed: [[1, 1, 1, 1]] + (allowed ? [[1, 0, 1, 0]] : []), forbidden: allowed ? [] : [[1, 0, 1, 0]],
                [0, 1].map { word in { t, w, _ in try t.store(w[word], 1, rel) } }
                    + [0, 1].map { first in
                        { t, w, r in
                            try t.setGhost(r[2 * first], t.load(w[first], load))
                            if fences { try t.fence(fence) }
                            try t.setGhost(r[2 * first + 1], t.load(w[1 - first], load))
                        }
                    })
        }
        func rwc(_ name: String, fences: Bool, allowed: Bool) -> Litmus {
            Litmus(
                name, results: 3, allowed: [[1, 1, 1]] + (allowed ? [[1, 0, 0]] : []), forbidden: allowed ? [] : [[1, 0, 0]],
                [
                    { t, w, _ in try t.store(w[0], 1, rel) },
                    { t, w, r in
                        try t.setGhost(r[0], t.load(w[0], acq))
                        if fences { try t.fence(fence) }
                        try t.setGhost(r[1], t.load(w[1], acq))
                    },
                    { t, w, r in
                        try t.store(w[1], 1, rel)
                        if fences { try t.fence(fence) }
                        try t.setGhost(r[2], t.load(w[0], acq))
                    },
                ])
        }
        func wrc(_ name: String, _ store: Site, _ load: Site, allowed: Bool) -> Litmus {
            Litmus(
                name, results: 3, allowed: [[1, 1, 1]] + (allowed ? [[1, 1, 0]] : []), forbidden: allowed ? [] : [[1, 1, 0]],
                [
                    { t, w, _ in try t.store(w[0], 1, store) },
                    { t, w, r in
                        try t.setGhost(r[0], t.load(w[0], load))
                        try t.store(w[1], 1, store)
                    },
                    { t, w, r in
                        try t.setGhost(r[1], t.load(w[1], load))
                        try t.setGhost(r[2], t.load(w[0], rlx))
                    },
                ])
        }
        func isa2(_ name: String, _ store: Site, _ load: Site, allowed: Bool) -> Litmus {
            Litmus(
                name, words: 3, results: 3, allowed: [[1, 1, 1]] + (allowed ? [[1, 1, 0]] : []), forbidden: allowed ? [] : [[1, 1, 0]],
                [
                    { t, w, _ in
                        try t.store(w[0], 1, rlx)
                        try t.store(w[1], 1, store)
                    },
                    { t, w, r in
                        try t.setGhost(r[0], t.load(w[1], load))
                        try t.store(w[2], 1, store)
                    },
                    { t, w, r in
                        try t.setGhost(r[1], t.load(w[2], load))
                        try t.setGhost(r[2], t.load(w[0], rlx))
                    },
                ])
        }
        func sequence(_ name: String, _ between: @escaping (ModelThread, Memory.Atomic) throws -> Void, third: Bool, allowed: Bool)
            -> Litmus
        {
            let reader: Litmus.Body = { t, w, r in
                try t.setGhost(r[0], t.load(w[1], acq))
                try t.setGhost(r[1], t.load(w[0], rlx))
            }
            let writer: Litmus.Body = { t, w, _ in
                try t.store(w[0], 1, rlx)
                try t.store(w[1], 1, rel)
                if !third { try between(t, w[1]) }
            }
            let other: Litmus.Body = { t, w, _ in try between(t, w[1]) }
            return Litmus(
                name, allowed: [[2, 1]] + (allowed ? [[2, 0]] : []), forbidden: allowed ? [] : [[2, 0]],
                third ? [writer, other, reader] : [writer, reader])
        }
        return [
            sb("SB, relaxed", rlx, rlx, fences: 0, allowed: true),
            sb("SB, release and acquire", rel, acq, fences: 0, allowed: true),
            sb("SB, one fence", rlx, rlx, fences: 1, allowed: true),
            sb("SB, both fences", rlx, rlx, fences: 2, allowed: false),
            mp("MP, relaxed", rlx, rlx, allowed: true),
            mp("MP, release alone", rel, rlx, allowed: true),
            mp("MP, acquire alone", rlx, acq, allowed: true),
            mp("MP, release and acquire", rel, acq, allowed: false),
            mpFences("MP, fences", fence, fence, allowed: false),
            mpFences("MP, release and acquire fences", rel, acq, allowed: false),
            mpFences("MP, first fence alone", fence, nil, allowed: true),
            mpFences("MP, second fence alone", nil, fence, allowed: true),
            Litmus(
                "LB, relaxed: RC11 excludes load buffering", allowed: [[0, 0], [0, 1], [1, 0]], forbidden: [[1, 1]],
                [0, 1].map { mine in
                    { t, w, r in
                        try t.setGhost(r[mine], t.load(w[mine], rlx))
                        try t.store(w[1 - mine], 1, rlx)
                    }
                }),
            iriw("IRIW, acquire", acq, fences: false, allowed: true),
            iriw("IRIW, fences", rlx, fences: true, allowed: false),
            rwc("RWC, acquire", fences: false, allowed: true),
            rwc("RWC, fences", fences: true, allowed: false),
            wrc("WRC, relaxed", rlx, rlx, allowed: true),
            wrc("WRC, release and acquire", rel, acq, allowed: false),
            isa2("ISA2, relaxed", rlx, rlx, allowed: true),
            isa2("ISA2, release and acquire", rel, acq, allowed: false),
            Litmus(
                "CoRR: no thread sees an older value after a newer one", words: 1, allowed: [[0, 1], [1, 2], [2, 2], [0, 2]],
                forbidden: [[2, 1], [1, 0], [2, 0]],
                [
                    { t, w, _ in
                        try t.store(w[0], 1, rlx)
                        try t.store(w[0], 2, rlx)
                    },
                    { t, w, r in
                        try t.setGhost(r[0], t.load(w[0], rlx))
                        try t.setGhost(r[1], t.load(w[0], rlx))
                    },
                ]),
            Litmus(
                "CoRR2: two threads agree on the order of two writes", words: 1, results: 4, allowed: [[1, 2, 1, 2], [2, 1, 2, 1]],
                forbidden: [[1, 2, 2, 1], [2, 1, 1, 2]],
                [1, 2].map { value in { t, w, _ in try t.store(w[0], value, rlx) } }
                    + [0, 2].map { first in
                        { t, w, r in
                            try t.setGhost(r[first], t.load(w[0], rlx))
                            try t.setGhost(r[first + 1], t.load(w[0], rlx))
                        }
                    }),
            Litmus(
                "CoWR: a thread sees its own write or a later one", words: 1, results: 1, allowed: [[1], [2]], forbidden: [[0]],
                [
                    { t, w, r in
                        try t.store(w[0], 1, rlx)
                        try t.setGhost(r[0], t.load(w[0], rlx))
                    },
                    { t, w, _ in try t.store(w[0], 2, rlx) },
                ]),
            Litmus(
                "2+2W, release: the first writes may come last", results: 0, allowed: [[1, 1], [2, 1], [1, 2], [2, 2]], finalWords: true,
                [0, 1].map { mine in
                    { t, w, _ in
                        try t.store(w[mine], 1, rel)
                        try t.store(w[1 - mine], 2, rel)
                    }
                }),
            Litmus(
                "2+2W, fences", results: 0, allowed: [[2, 1], [1, 2], [2, 2]], forbidden: [[1, 1]], finalWords: true,
                [0, 1].map { mine in
                    { t, w, _ in
                        try t.store(w[mine], 1, rlx)
                        try t.fence(fence)
                        try t.store(w[1 - mine], 2, rlx)
                    }
                }),
            Litmus(
                "RMW: no increment is lost", words: 1, results: 2, allowed: [[0, 1, 2], [1, 0, 2]], forbidden: [[0, 0, 1]],
                finalWords: true,
                [0, 1].map { mine in { t, w, r in try t.setGhost(r[mine], t.add(w[0], 1, rlx)) } }),
            Litmus(
                "RMW and a store: the store does not come between", words: 1, results: 2, allowed: [[0, -1, 5], [5, -1, 6]],
                forbidden: [[0, -1, 6], [5, -1, 5]], finalWords: true,
                [
                    { t, w, r in try t.setGhost(r[0], t.add(w[0], 1, rlx)) },
                    { t, w, _ in try t.store(w[0], 5, rlx) },
                ]),
            Litmus(
                "CAS: of two one succeeds", words: 1, results: 2, allowed: [[1, 0], [0, 1]], forbidden: [[1, 1], [0, 0]],
                [0, 1].map { mine in
                    { t, w, r in try t.setGhost(r[mine], t.compareExchange(w[0], expected: 0, desired: mine + 1, rlx).exchanged ? 1 : 0) }
                }),
            sequence(
                "Release sequence: a relaxed RMW of another thread carries it on", { _ = try $0.add($1, 1, rlx) }, third: true,
                allowed: false),
            sequence(
                "Release sequence: a relaxed store of another thread does not", { try $0.store($1, 2, rlx) }, third: true, allowed: true),
            sequence(
                "Release sequence: nor does a relaxed store of the same thread, as in C++20", { try $0.store($1, 2, rlx) }, third: false,
                allowed: true),
            Litmus(
                "Dekker with RMW: a read-modify-write of one word by both orders them", words: 3, allowed: [[1, 0], [0, 1], [1, 1]],
                forbidden: [[0, 0]],
                [0, 1].map { mine in
                    { t, w, r in
                        try t.store(w[mine], 1, rlx)
                        _ = try t.add(w[2], 0, both)
                        try t.setGhost(r[mine], t.load(w[1 - mine], rlx))
                    }
                }),
        ]
    }

    @Test("A small program has the outcomes that RC11 allows, and no other", arguments: all.map(\.name))
    func outcomes(name: String) async throws {
        let litmus = try #require(Self.all.first { $0.name == name })
        let finding = try #require(await Explorer.explore(name, of: { Self.all.map(\.program) }))
        #expect(finding.violation == nil, "\(litmus.name)")
        func pad(_ outcome: [Int]) -> [Int] { outcome + [Int](repeating: 0, count: 6 - outcome.count) }
        for outcome in litmus.allowed { #expect(finding.outcomes.contains(pad(outcome)), "\(litmus.name): \(outcome) is not reached") }
        for outcome in litmus.forbidden { #expect(!finding.outcomes.contains(pad(outcome)), "\(litmus.name): \(outcome) is reached") }
    }
}
