/// A manual notification that has begun and not ended.
struct OpenAnnouncement {
    let place: Place
    /// The registrations that hear of it.
    let hearers: Set<Int>
    /// Those of which only the value can tell whether it concerns them, with the value that they were told last.
    var doubts: [Hearer]
    /// How many registrations there were at the beginning.
    let number: Int
}

extension Model {
    /// `true` if the end of a manual notification of a computed key on the way tells an observation what changes meanwhile.
    ///
    /// Not if somebody has registered for the same key since, who does not hear of that end.
    func isToldLater(_ observation: ModelObservation, _ place: Place) -> Bool {
        announced.contains { open in
            guard open.place != place, open.place.property.isComputed, open.hearers.contains(observation.registration) else { return false }
            return !observations.contains { $0.ofKey == observation.ofKey && $0.registration > open.number }
        }
    }

    /// `true` if an observation hears whatever a node announces: its own node, and one that was read.
    private func isNear(_ node: Int, _ observation: ModelObservation, _ read: Places) -> Bool {
        if node == observation.node { return true }
        return nodes.indices.contains { owner in
            read.contains(Place(owner, .atomic)) && nodes[owner].atomic == node
                || read.contains(Place(owner, .inner)) && nodes[owner].inner == node
                || read.contains(Place(owner, .part)) && nodes[owner].part == node
                || read.contains(Place(owner, .next)) && nodes[owner].next == node
        }
    }

    /// The observations whose getters use foreign state, which a manual notification of something else may be about.
    func doubts(about place: Place) -> [Hearer] {
        observations.compactMap { observation in
            if observation.key.chain != nil { return nil }
            if observation.key.computed.map({ isAnnounced(Place(observation.node, $0)) }) ?? false { return nil }
            var reader = Reader(nodes)
            let value = reader.value(of: observation.key, observation.node)
            // What follows the place itself is told in any case.
            if reader.read.contains(place) || !isNear(place.node, observation, reader.read) { return nil }
            return Hearer(observation: observation, old: value, reads: reader.read, change: .setting)
        }
    }

    /// Notes what an observer was told for the notifications that may concern it.
    mutating func noteForDoubts(_ observation: ModelObservation) {
        if announced.isEmpty { return }
        var reader = Reader(nodes)
        let value = reader.value(of: observation.key, observation.node)
        for open in announced.indices {
            for index in announced[open].doubts.indices where announced[open].doubts[index].observation.ofKey == observation.ofKey {
                announced[open].doubts[index].old = value
                announced[open].doubts[index].reads = reader.read
            }
        }
    }

    /// Tells the observations whose values a manual notification has changed.
    mutating func tellDoubts(_ open: OpenAnnouncement) {
        let changed = open.doubts.filter { doubt in
            let observation = doubt.observation
            if observation.key.computed.map({ isAnnounced(Place(observation.node, $0)) }) ?? false { return false }
            var reader = Reader(nodes)
            let value = reader.value(of: observation.key, observation.node)
            return (value != doubt.old || reader.read != doubt.reads) && !isToldLater(observation, open.place)
        }
        tellAfter(changed, .doubts, of: open.place, isByHand: true)
    }
}
