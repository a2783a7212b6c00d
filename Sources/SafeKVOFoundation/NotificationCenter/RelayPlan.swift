internal import Foundation
internal import SafeKVO

/// What is registered with Foundation for the observers of a centre, and which of those registrations serves whom.
///
/// A registration is requested (``Request``), is current once Foundation has it, and is handed to the caller once, to be removed. Two threads that
/// come at once each make a request, so that none waits for the other; the first to be registered becomes current, and the other is removed and
/// never serves anybody.
///
/// A posted notification reaches the registration of its name, that of every name, or both, as Foundation saw them when the post began. That cannot
/// be known, so nothing may depend on it. Each observer is served by one of the two as long as both exist:
///
/// - If the name was registered first, its registration serves all. It stays until every name is no longer registered.
/// - If every name was registered first, the name has a *boundary*: a serial number. Observers of every name up to it are served by the
///   registration of every name, all others by that of the name.
///
/// In the second case Foundation calls the registration of every name first, which is the order of the observers, except for what it calls in the
/// reverse order: see ``FoundationOrder``. There the registration of the name serves all, and the other nobody: it is sure to be called next, on
/// the same thread, because it was there before.
///
/// Two things are not exact, and neither loses or repeats anything. An observer of every name that is registered by the last other one, in its
/// handler, may hear of the notification that is being posted. An observer of everything that is in its list before it is counted in
/// (`attach(_:)`) may be called behind later ones, if the last other observer of every name goes at that moment.
struct RelayPlan<Token> {
    /// A registration with Foundation that the caller must make.
    struct Request: Hashable, Sendable {
        /// What to ask for; nil for every name.
        let name: Notification.Name?
        fileprivate let place: Int
        fileprivate let entry: UInt64
        fileprivate let number: UInt64
        /// The entry of every name, if its registration was current.
        fileprivate let everyName: UInt64?
    }

    /// What became of a registration.
    enum Outcome {
        /// It is current.
        case current
        /// It must be removed.
        case superfluous
        /// It must be removed, and another request carried out.
        case outdated(Request)
    }

    private struct Entry {
        let name: Notification.Name?
        let number: UInt64
        /// How many topics, or observers of every name, need the registration.
        var needs = 0
        /// The current registration.
        var current: (request: UInt64, token: Token)?
        var boundary: Boundary?
    }

    private struct Boundary {
        let serial: UInt32
        /// The entry of every name at that time.
        let everyName: UInt64
        /// How many observers of every name had come by then.
        let arrivals: UInt64
    }

    /// A notification that one registration has served and the other is yet to be called for, on one thread.
    private struct Half {
        let name: Notification.Name
        let everyName: UInt64
        let serial: UInt32
    }

    /// Entries stay at their places, so that a relay finds its own without a look at the name.
    private var entries: [Entry?] = []
    /// By place, the request whose registration serves everybody; zero if there is none.
    private var servingEverybody: [UInt64] = []
    private var freePlaces: [Int] = []
    private var places: [Notification.Name?: Int] = [:]
    private var lastNumber: UInt64 = 0
    private var arrivals: UInt64 = 0
    private var hasEnded = false
    /// What the registration of every name has served first, by thread.
    private var firstOfEveryName: [UInt: [Half]] = [:]
    /// What the registration of a name has served first, by thread.
    private var firstOfName: [UInt: [Half]] = [:]

    /// The names that are registered; nil for every name.
    var registeredNames: [Notification.Name?] { entries.compactMap { $0 }.filter { $0.current != nil }.map(\.name) }

    // MARK: Observers

    /// Counts a need in.
    ///
    /// - Parameter name: The name; nil for every name.
    /// - Returns: a request that must be carried out before an observer relies on it; nil if Foundation has the registration.
    mutating func add(_ name: Notification.Name?) -> Request? {
        let place = places[name] ?? makeEntry(name)
        entries[place]?.needs += 1
        return request(at: place)
    }

    /// Makes a request for a need that another thread has counted in and may not have carried out.
    mutating func request(_ name: Notification.Name?) -> Request? { places[name].flatMap { request(at: $0) } }

    private mutating func request(at place: Int) -> Request? {
        guard !hasEnded, let entry = entries[place], entry.current == nil else { return nil }
        return Request(name: entry.name, place: place, entry: entry.number, number: nextNumber(), everyName: everyName)
    }

    /// Notes that an observer of every name is in its list.
    mutating func noteArrival() { arrivals += 1 }

    /// Counts a need out.
    ///
    /// - Returns: the tokens to remove.
    mutating func remove(_ name: Notification.Name?) -> [Token] {
        guard let place = places[name] else { return [] }
        entries[place]?.needs -= 1
        guard let entry = entries[place], entry.needs == 0 else { return [] }
        if name != nil { return servesEveryName(entry) ? [] : take(place) }
        firstOfEveryName = [:]
        firstOfName = [:]
        // With the last observer of every name go the registrations that were kept for their sake.
        return take(place) + entries.indices.filter { entries[$0]?.needs == 0 }.flatMap { take($0) }
    }

    /// Ends everything, for good.
    ///
    /// - Returns: the tokens to remove.
    mutating func end() -> [Token] {
        hasEnded = true
        return entries.indices.flatMap { take($0) }
    }

    /// Whether the registration of a name may serve an observer of every name, now or soon.
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

    /// Makes a registration current.
    ///
    /// - Parameters:
    ///   - token: Foundation's token.
    ///   - request: The request that was carried out.
    ///   - serial: The present serial number of the observers.
    /// - Returns: what became of it.
    mutating func register(_ token: Token, for request: Request, serial: UInt32) -> Outcome {
        guard !hasEnded, let entry = entries[request.place], entry.number == request.entry, entry.current == nil else {
            return .superfluous
        }
        if request.name == nil {
            // It serves those whom no name serves.
        } else if let everyName {
            // It must be certain which of the two was there first.
            guard request.everyName == everyName else { return self.request(at: request.place).map { .outdated($0) } ?? .superfluous }
            entries[request.place]?.boundary = Boundary(serial: serial, everyName: everyName, arrivals: arrivals)
        } else {
            servingEverybody[request.place] = request.number
        }
        entries[request.place]?.current = (request.number, token)
        return .current
    }

    /// The entry of every name, if its registration is current.
    private var everyName: UInt64? {
        guard let place = places[nil], let entry = entries[place], entry.current != nil else { return nil }
        return entry.number
    }

    // MARK: Notifications

    /// Whether a registration serves all observers of each notification that reaches it.
    func servesEverybody(_ request: Request) -> Bool {
        servingEverybody[request.place] == request.number
    }

    /// Decides which observers a registration serves of a notification that has reached it.
    ///
    /// - Parameters:
    ///   - request: The request that the registration was made for.
    ///   - name: The notification's name.
    ///   - serial: The present serial number of the observers.
    ///   - thread: The thread that posts.
    ///   - callsNameFirst: Whether Foundation calls the registration of the name before that of every name.
    /// - Returns: the observers; nil for none.
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

    /// Notes that the registration of every name has served a notification, so that that of the name serves nobody who came meanwhile.
    ///
    /// - Parameters:
    ///   - request: The request that the registration was made for.
    ///   - name: The notification's name.
    ///   - serial: The serial number of the observers when it was asked who is served.
    ///   - thread: The thread that posts.
    mutating func didServe(_ request: Request, _ name: Notification.Name, serial: UInt32, thread: UInt) {
        guard request.name == nil, let everyName, everyName == request.entry else { return }
        guard let place = places[name], entries[place]?.boundary?.everyName == everyName else { return }
        firstOfEveryName[thread, default: []].append(Half(name: name, everyName: everyName, serial: serial))
    }

    /// Takes out the last half that a thread has seen, and returns its serial number if it is that of a name.
    private static func take(
        _ halves: inout [UInt: [Half]], _ name: Notification.Name, _ thread: UInt, _ everyName: UInt64?
    ) -> UInt32? {
        guard let half = halves[thread]?.last, half.name == name, half.everyName == everyName else { return nil }
        halves[thread]?.removeLast()
        if halves[thread]?.isEmpty ?? false { halves[thread] = nil }
        return half.serial
    }
}
