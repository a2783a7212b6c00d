/// A manual notification that has begun and not ended.
struct OpenAnnouncement {
    let place: Place
    /// The registrations that hear of it.
    let hearers: Set<Int>
    /// `true` if it ends with a closure or a token, so that what else changes meanwhile is left to its end.
    let isScoped: Bool
    /// How many registrations there were at the beginning.
    let number: Int
    /// The registrations for which a change was left to the end.
    var left: Set<Int> = []
}

extension Model {
    /// `true` if the end of a manual notification of a computed key on the way tells an observation what changes meanwhile.
    ///
    /// Not if somebody has registered for the same key since, who does not hear of that end. Of the whole object each announced change is one of its
    /// own.
    func isToldLater(_ observation: ModelObservation, _ place: Place) -> Bool {
        observation.key != .entire
            && announced.contains { open in
                guard open.isScoped, open.place != place, open.place.property.isComputed, open.hearers.contains(observation.registration)
                else {
                    return false
                }
                return !observations.contains { $0.ofKey == observation.ofKey && $0.registration > open.number }
            }
    }

    /// Notes for whom a change of a place is left to the end of a notification.
    mutating func leave(_ place: Place) {
        if announced.isEmpty { return }
        for observation in observations where isToldLater(observation, place) {
            guard followed(by: observation)?.reads.contains(place) ?? false else { continue }
            for index in announced.indices where announced[index].hearers.contains(observation.registration) {
                announced[index].left.insert(observation.registration)
            }
        }
    }

    /// `true` if the end of a notification is told to an observation: if it still leads through the place, or if something was left to it.
    func isConcerned(_ observation: ModelObservation, by open: OpenAnnouncement) -> Bool {
        if !open.place.property.isComputed || open.left.contains(observation.registration) { return true }
        return followed(by: observation)?.reads.contains(open.place) ?? false
    }
}
