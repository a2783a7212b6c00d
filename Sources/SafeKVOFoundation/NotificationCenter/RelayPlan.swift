internal import Foundation
internal import SafeKVO

/// Decides which names must be registered with Foundation for the observers of one notification center.
///
/// A *name registration* gets the notifications of one name. The *all-names registration*, whose name is `nil`, gets all notifications. An
/// *all-names observer* wants the notifications of all names. If both kinds of registration exist, the plan also decides which one notifies
/// an observer.
///
/// Two cases are not exact, but no notification is lost or delivered twice:
///
/// - If the last all-names observer registers another one in its handler, the new observer may get the notification that is being posted.
/// - If the last all-names observer is removed while a new one is being added, later observers may be called before the new one.
struct RelayPlan<Token> {
    struct Request: Hashable, Sendable {
        let name: Notification.Name?
        fileprivate let place: Int
        fileprivate let entry: UInt64
        fileprivate let number: UInt64
        fileprivate let everyName: UInt64?
    }

    enum Outcome {
        case current
        case superfluous
        /// The caller must remove the name registration and carry out the given request instead.
        ///
        /// An all-names registration was made meanwhile, and the name registration must be the newer of the two.
        case outdated(Request)
    }

    private struct Entry {
        let name: Notification.Name?
        let number: UInt64
        /// The number of users: observed topics (a name, an object or both) and observers of all notifications.
        var needs = 0
        var current: (request: UInt64, token: Token)?
        var boundary: Boundary?
    }

    /// Divides the observers between a name registration and an older all-names registration, so that each observer is notified once.
    ///
    /// If a name is registered during a post, Foundation may pass the notification to one of the two registrations, or to both. So the
    /// all-names registration notifies the all-names observers that registered before the name was registered. The name registration
    /// notifies all other observers.
    ///
    /// For some notifications, Foundation calls the name registration first (see ``FoundationOrder``). Then the name registration notifies
    /// all observers, and the all-names registration notifies none.
    private struct Boundary {
        let serial: UInt32
        let everyName: UInt64
        /// The number of all-names observers that had been added until this name was registered.
        let arrivals: UInt64
    }

    /// Records that the all-names registration or a name registration has delivered a notification.
    ///
    /// Foundation may next call the other registration with the same notification.
    private struct Half {
        let name: Notification.Name
        let everyName: UInt64
        let serial: UInt32
    }

    /// An entry never changes its index, so that a request can store the index; `nil` marks a free index.
    private var entries: [Entry?] = []
    private var servingEverybody: [UInt64] = []
    private var freePlaces: [Int] = []
    private var places: [Notification.Name?: Int] = [:]
    private var lastNumber: UInt64 = 0
    private var arrivals: UInt64 = 0
    private var hasEnded = false
    private var firstOfEveryName: [UInt: [Half]] = [:]
    private var firstOfName: [UInt: [Half]] = [:]

    var registeredNames: [Notification.Name?] { entries.compactMap { $0 }.filter { $0.current != nil }.map(\.name) }

    // MARK: Observers

    /// Counts a user of a name; `nil` stands for all names.
    ///
    /// - Returns: A request that the caller must carry out before it adds the observer; `nil` if the name is registered already.
    mutating func add(_ name: Notification.Name?) -> Request? {
        let place = places[name] ?? makeEntry(name)
        entries[place]?.needs += 1
        return request(at: place)
    }

    mutating func request(_ name: Notification.Name?) -> Request? { places[name].flatMap { request(at: $0) } }

    private mutating func request(at place: Int) -> Request? {
        guard !hasEnded, let entry = entries[place], entry.current == nil else { return nil }
        return Request(name: entry.name, place: place, entry: entry.number, number: nextNumber(), everyName: everyName)
    }

    mutating func noteArrival() { arrivals += 1 }

    /// Takes back one call of ``add(_:)``, and returns the tokens of the registrations that the caller must remove.
    mutating func remove(_ name: Notification.Name?) -> [Token] {
        guard let place = places[name] else { return [] }
        entries[place]?.needs -= 1
        guard let entry = entries[place], entry.needs == 0 else { return [] }
        if name != nil { return servesEveryName(entry) ? [] : take(place) }
        firstOfEveryName = [:]
        firstOfName = [:]
        // No observer needs all names now. So also end the name registrations that existed only for all-names observers.
        return take(place) + entries.indices.filter { entries[$0]?.needs == 0 }.flatMap { take($0) }
    }

    mutating func end() -> [Token] {
        hasEnded = true
        return entries.indices.flatMap { take($0) }
    }

    private func servesEveryName(_ entry: Entry) -> Bool {
        guard places[nil] != nil, entry.current != nil else { return false }
        guard let boundary = entry.boundary, boundary.everyName == everyName, boundary.arrivals == arrivals else { return true }
        return firstOfName.values.contains { halves in halves.contains { $0.name == entry.name } }
    }

    private mutating func makeEntry(_ name: Notification.Name?) -> Int {
        let entry = Entry(name: name, number: nextNumber())
        let place = freePlaces.popLast() ?? entries.endIndex
        if place == entries.endIndex {
            entries.append(entry)
            servingEverybody.append(0)
        } else {
            entries[place] = entry
        }
        places[name] = place
        return place
    }

    private mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    private mutating func take(_ place: Int) -> [Token] {
        guard let entry = entries[place] else { return [] }
        entries[place] = nil
        servingEverybody[place] = 0
        freePlaces.append(place)
        places[entry.name] = nil
        return entry.current.map { [$0.token] } ?? []
    }

    // MARK: Registrations

    /// Uses a new registration if the plan needs it; if the result is not `.current`, the caller must remove the registration.
    ///
    /// `serial` is the serial number of the newest observer.
    mutating func register(_ token: Token, for request: Request, serial: UInt32) -> Outcome {
        guard !hasEnded, let entry = entries[request.place], entry.number == request.entry, entry.current == nil else {
            return .superfluous
        }
        if request.name == nil {
            // Only a name registration gets a ``Boundary``.
        } else if let everyName {
            // If the all-names registration was made after the request, it may be the newer one. So request the name again.
            guard request.everyName == everyName else { return self.request(at: request.place).map { .outdated($0) } ?? .superfluous }
            entries[request.place]?.boundary = Boundary(serial: serial, everyName: everyName, arrivals: arrivals)
        } else {
            servingEverybody[request.place] = request.number
        }
        entries[request.place]?.current = (request.number, token)
        return .current
    }

    private var everyName: UInt64? {
        guard let place = places[nil], let entry = entries[place], entry.current != nil else { return nil }
        return entry.number
    }

    // MARK: Notifications

    /// Returns `true` if the registration of `request` alone notifies all observers of its notifications.
    func servesEverybody(_ request: Request) -> Bool {
        servingEverybody[request.place] == request.number
    }

    /// Returns the observers that the registration of `request` must notify; `nil` if there are none.
    ///
    /// `serial` is the serial number of the newest observer.
    mutating func audience(
        of request: Request, for name: Notification.Name, serial: UInt32, thread: UInt, callsNameFirst: Bool
    ) -> TopicAudience? {
        guard let entry = entries[request.place], entry.current?.request == request.number else { return nil }
        if request.name != nil {
            guard let boundary = entry.boundary else { return .everybody }
            if callsNameFirst, boundary.everyName == everyName {
                firstOfName[thread, default: []].append(Half(name: name, everyName: boundary.everyName, serial: serial))
                return .everybody
            }
            return .named(andEveryNameAfter: boundary.serial, present: Self.take(&firstOfEveryName, name, thread, everyName) ?? serial)
        }
        guard let place = places[name], let named = entries[place], named.current != nil else {
            return .everyName(upTo: serial, present: serial)
        }
        guard let boundary = named.boundary else { return nil }
        if callsNameFirst, Self.take(&firstOfName, name, thread, everyName) != nil { return nil }
        return .everyName(upTo: boundary.serial, present: serial)
    }

    /// Records that the all-names registration has delivered a notification.
    ///
    /// If Foundation next calls the name registration, observers whose serial number exceeds `serial` do not get the notification.
    mutating func didServe(_ request: Request, _ name: Notification.Name, serial: UInt32, thread: UInt) {
        guard request.name == nil, let everyName, everyName == request.entry else { return }
        guard let place = places[name], entries[place]?.boundary?.everyName == everyName else { return }
        firstOfEveryName[thread, default: []].append(Half(name: name, everyName: everyName, serial: serial))
    }

    /// Removes the thread's newest ``Half`` if it has this name, and returns its `serial`; otherwise returns `nil`.
    private static func take(
        _ halves: inout [UInt: [Half]], _ name: Notification.Name, _ thread: UInt, _ everyName: UInt64?
    ) -> UInt32? {
        guard let half = halves[thread]?.last, half.name == name, half.everyName == everyName else { return nil }
        halves[thread]?.removeLast()
        if halves[thread]?.isEmpty ?? false { halves[thread] = nil }
        return half.serial
    }
}
