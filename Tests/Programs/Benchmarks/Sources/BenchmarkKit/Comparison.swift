/// The rows of a run by the cases that they answer.
struct Comparison {
    /// One case.
    struct Entry {
        let benchmarked: Case
        let own: Row
        /// What the library's row is compared with, if it counts the same.
        let limit: Figure?
        let answers: [Contender: Answer]
    }

    /// What a peer has to say to a case.
    enum Answer {
        case figure(Figure)
        case cannot(String)
    }

    /// All cases that were measured.
    let entries: [Entry]
    /// All peers, in the order of their rows.
    let peers: [Contender]

    init(_ rows: [Row], _ refusals: [Refusal]) {
        var peers: [Contender] = []
        for contender in rows.map(\.figure.contender) + refusals.map(\.contender) where contender.isPeer && !peers.contains(contender) {
            peers.append(contender)
        }
        self.peers = peers
        entries = Case.allCases.compactMap { benchmarked in
            let answering = rows.filter { $0.figure.cases.contains(benchmarked) }
            guard let own = answering.first(where: { $0.figure.contender == .safeKVO }) else { return nil }
            var answers: [Contender: Answer] = [:]
            for refusal in refusals where refusal.benchmarked == benchmarked { answers[refusal.contender] = .cannot(refusal.reason) }
            for row in answering where row.figure.contender.isPeer { answers[row.figure.contender] = .figure(row.figure) }
            let limit = rows.first { $0.figure.name == own.limit && $0.figure.unit == own.figure.unit }
            return Entry(benchmarked: benchmarked, own: own, limit: limit?.figure, answers: answers)
        }
    }
}
