extension EndTranscript {
    /// Checks that all ends were reported once, with their calls, and that nothing is kept for ever.
    func checkOver(_ t: ModelThread, isEnded: Bool) throws {
        for info in infos {
            try t.check(t.isFreed(info.memory), "an info is never released")
            let opens = try t.ghost(info.opens)
            if opens < 0 { continue }
            try t.check(t.ghost(info.reports) == 1, "an end is never reported")
            let (made, counted) = try (t.ghost(info.calls), t.ghost(info.counted))
            try t.check(made == counted, "\(made) calls were made, \(counted) counted")
            let isMoved = try t.read(info.moved) == 1
            try t.check(opens == (isMoved ? 0 : 1), "a hold is let go of \(opens) times")
            try t.check(!isEnded || !isMoved, "a hold stays in the set")
        }
        try t.check(!isEnded || t.read(holds) == 0, "a hold stays in the set")
        if let kept {
            try t.check(t.isFreed(kept.record), "the record is never released")
            try t.check(!isEnded || t.isFreed(kept.owner), "the controller is never released")
        }
        try pins?.checkOver(t)
        if let path, isEnded {
            try t.check(t.read(path.observers) == 0, "a path is followed for nobody")
            try t.check(t.read(path.last) == 0, "a last value is never let go of")
        }
    }
}
