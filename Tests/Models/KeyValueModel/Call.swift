/// One call of an observation.
package struct Call: Equatable, Sendable {
    /// Among which calls the order is decided.
    package enum Sequence: Hashable, Sendable {
        /// Those of one key of one node.
        case ofKey(Int, Key)
        /// Those at the end of a batch for one node.
        case ofBatch(Int)

        /// The calls for the whole object, which come after those of a stored property; nil for other keys.
        package var last: Sequence? {
            guard case .ofKey(let node, let key) = self, key.stored != nil else { return nil }
            return .ofKey(node, .entire)
        }
    }

    package let observation: Int
    package let told: Told
    package let sequence: Sequence
    /// False if the rules leave open whether this call is made.
    package let isCertain: Bool
    /// What else the call may tell, where the rules leave that open.
    package let alternatives: [Told]

    package init(_ observation: Int, _ told: Told, in sequence: Sequence, isCertain: Bool = true, or alternatives: [Told] = []) {
        self.observation = observation
        self.told = told
        self.sequence = sequence
        self.isCertain = isCertain
        self.alternatives = alternatives
    }

    /// `true` if a call that was heard is this one.
    package func admits(_ heard: Call) -> Bool {
        heard.observation == observation && (heard.told == told || alternatives.contains(heard.told))
    }
}

extension Call: CustomStringConvertible {
    package var description: String {
        switch sequence {
        case .ofKey: "o\(observation) \(told)\(isCertain ? "" : " (perhaps)")"
        case .ofBatch: "o\(observation) \(told) at the end of the batch"
        }
    }
}
