internal import Foundation
internal import SafeKVO

/// A plan of the registrations with Foundation for the observers of one notification center.
///
/// The plan decides which names must be registered. It also decides which observers each registration notifies. A name of `nil`
/// stands for every name.
///
/// ## Requests
///
/// The plan makes a ``Request``, and the caller registers with Foundation. From then on the registration is *current*. The plan
/// returns its token to the caller once, to be removed. Two threads may need the same registration at the same time. Then each
/// makes a request, so that neither waits. The first registration becomes current. The other one is removed and notifies no
/// observer.
///
/// ## Two registrations for one notification
///
/// Foundation passes a notification to the registration of its name, to that of every name, or to both. That depends on the
/// registrations that existed when the post began, which the plan cannot know. So only one of the two notifies each observer
/// while both exist:
///
/// - If the name was registered first, its registration notifies all observers. It stays until every name is no longer
///   registered.
/// - If every name was registered first, the name gets a *boundary*, which is a serial number. The registration of every name
///   notifies the observers of every name up to the boundary. The registration of the name notifies all other observers.
///
/// In the second case, Foundation calls the registration of every name first, so the observers are called in their order. For
/// some notifications Foundation uses the reverse order; see ``FoundationOrder``. Then the registration of the name notifies
/// all observers, and the registration of every name notifies none. Foundation is certain to call the latter next on the same
/// thread, because it was registered before.
///
/// ## Exceptions
///
/// Two cases are not exact, but no notification is lost or delivered twice:
///
/// - The last observer of every name may register another one in its handler. The new observer may then get the notification
///   that is being posted.
/// - A new observer of every notification is in its list before the relay counts it. If the last other observer of every name
///   is removed at that moment, observers that registered later may be called before the new one.
struct RelayPlan<Token> {
    /// A registration with Foundation that the caller must make.
    struct Request: Hashable, Sendable {
        /// The name to register; `nil` for every name.
        let name: Notification.Name?
        fileprivate let place: Int
        fileprivate let entry: UInt64
        fileprivate let number: UInt64
        /// The number of the entry for every name, if it had a current registration when the request was made.
        fileprivate let everyName: UInt64?
    }

    /// The result of a registration.
    enum Outcome {
        /// The registration is current.
        case current
        /// The registration is not needed. The caller must remove it.
        case superfluous
        /// The registration came too late. The caller must remove it and carry out another request.
        case outdated(Request)
    }

    private struct Entry {
        let name: Notification.Name?
        let number: UInt64
        /// The number of topics that need this registration.
        ///
        /// For every name, it is the number of observers.
        var needs = 0
        /// The current registration.
        var current: (request: UInt64, token: Token)?
        var boundary: Boundary?
    }

    private struct Boundary {
        let serial: UInt32
        /// The number of the entry for every name when the boundary was set.
        let everyName: UInt64
        /// The number of observers of every name that had registered when the boundary was set.
        let arrivals: UInt64
    }

    /// A notification that one of two registrations has delivered, while Foundation has not yet called the other one on the
    /// same thread.
    private struct Half {
        let name: Notification.Name
        let everyName: UInt64
        let serial: UInt32
    }

    /// The entries for the names.
    ///
    /// An entry never changes its index, so a relay finds it without a lookup of the name.
    private var entries: [Entry?] = []
    /// For each entry, the number of the request whose registration notifies all observers; zero if there is none.
    private var servingEverybody: [UInt64] = []
    private var freePlaces: [Int] = []
    private var places: [Notification.Name?: Int] = [:]
    private var lastNumber: UInt64 = 0
    private var arrivals: UInt64 = 0
    private var hasEnded = false
    /// For each thread, the notifications that the registration of every name has delivered before that of their own name.
    private var firstOfEveryName: [UInt: [Half]] = [:]
    /// For each thread, the notifications that the registration of their own name has delivered before that of every name.
    private var firstOfName: [UInt: [Half]] = [:]

    /// The names that are registered with Foundation; `nil` stands for every name.
    var registeredNames: [Notification.Name?] { entries.compactMap { $0 }.filter { $0.current != nil }.map(\.name) }

    // MARK: Observers

    /// Notes that one more topic or observer needs the registration of a name.
    ///
    /// - Parameter name: The name; `nil` for every name.
    /// - Returns: A request that the caller must carry out before an observer relies on it; `nil` if the registration is
    ///   current.
    mutating func add(_ name: Notification.Name?) -> Request? {
        let place = places[name] ?? makeEntry(name)
        entries[place]?.needs += 1
        return request(at: place)
    }

    /// Returns a request to register a name that another thread has counted and perhaps not registered yet.
    mutating func request(_ name: Notification.Name?) -> Request? { places[name].flatMap { request(at: $0) } }

    private mutating func request(at place: Int) -> Request? {
        guard !hasEnded, let entry = entries[place], entry.current == nil else { return nil }
        return Request(name: entry.name, place: place, entry: entry.number, number: nextNumber(), everyName: everyName)
    }

    /// Notes that an observer of every name was added to its list.
    mutating func noteArrival() { arrivals += 1 }

    /// Notes that one topic or observer does not need the registration of a name any more.
    ///
    /// - Returns: The tokens that the caller must remove.
    mutating func remove(_ name: Notification.Name?) -> [Token] {
        guard let place = places[name] else { return [] }
        entries[place]?.needs -= 1
        guard let entry = entries[place], entry.needs == 0 else { return [] }
        if name != nil { return servesEveryName(entry) ? [] : take(place) }
        firstOfEveryName = [:]
        firstOfName = [:]
        // Some registrations of names were kept only to notify observers of every name. They end with the last of these
        // observers.
        return take(place) + entries.indices.filter { entries[$0]?.needs == 0 }.flatMap { take($0) }
    }

    /// Ends all registrations and refuses further requests.
    ///
    /// - Returns: The tokens that the caller must remove.
    mutating func end() -> [Token] {
        hasEnded = true
        return entries.indices.flatMap { take($0) }
    }

    /// Returns `true` if the registration of a name may have to notify an observer of every name, at present or soon.
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

    /// Makes a registration with Foundation current, unless it is superfluous or outdated.
    ///
    /// - Parameters:
    ///   - token: The token that Foundation returned.
    ///   - request: The request that was carried out.
    ///   - serial: The present serial number of the observers.
    /// - Returns: The result of the registration.
    mutating func register(_ token: Token, for request: Request, serial: UInt32) -> Outcome {
        guard !hasEnded, let entry = entries[request.place], entry.number == request.entry, entry.current == nil else {
            return .superfluous
        }
        if request.name == nil {
            // The registration of every name notifies the observers that no registration of a name notifies.
        } else if let everyName {
            // The plan must know for certain which of the two was registered first. Otherwise the name is registered again.
            guard request.everyName == everyName else { return self.request(at: request.place).map { .outdated($0) } ?? .superfluous }
            entries[request.place]?.boundary = Boundary(serial: serial, everyName: everyName, arrivals: arrivals)
        } else {
            servingEverybody[request.place] = request.number
        }
        entries[request.place]?.current = (request.number, token)
        return .current
    }

    /// The number of the entry for every name, if it has a current registration.
    private var everyName: UInt64? {
        guard let place = places[nil], let entry = entries[place], entry.current != nil else { return nil }
        return entry.number
    }

    // MARK: Notifications

    /// Returns `true` if a registration notifies all observers of each notification that it gets.
    func servesEverybody(_ request: Request) -> Bool {
        servingEverybody[request.place] == request.number
    }

    /// Returns the observers that a registration must notify of a notification.
    ///
    /// - Parameters:
    ///   - request: The request of the registration.
    ///   - name: The name of the notification.
    ///   - serial: The present serial number of the observers.
    ///   - thread: The thread that posts the notification.
    ///   - callsNameFirst: `true` if Foundation calls the registration of the name before that of every name.
    /// - Returns: The observers; `nil` for none.
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

    /// Notes that the registration of every name has delivered a notification.
    ///
    /// Afterwards the registration of the name does not notify observers that were added in the meantime.
    ///
    /// - Parameters:
    ///   - request: The request of the registration.
    ///   - name: The name of the notification.
    ///   - serial: The serial number of the observers when the audience was determined.
    ///   - thread: The thread that posts the notification.
    mutating func didServe(_ request: Request, _ name: Notification.Name, serial: UInt32, thread: UInt) {
        guard request.name == nil, let everyName, everyName == request.entry else { return }
        guard let place = places[name], entries[place]?.boundary?.everyName == everyName else { return }
        firstOfEveryName[thread, default: []].append(Half(name: name, everyName: everyName, serial: serial))
    }

    /// Removes the last half-delivered notification of a thread, if it has a given name.
    ///
    /// - Returns: The serial number of the observers when it was delivered; `nil` if it was not removed.
    private static func take(
        _ halves: inout [UInt: [Half]], _ name: Notification.Name, _ thread: UInt, _ everyName: UInt64?
    ) -> UInt32? {
        guard let half = halves[thread]?.last, half.name == name, half.everyName == everyName else { return nil }
        halves[thread]?.removeLast()
        if halves[thread]?.isEmpty ?? false { halves[thread] = nil }
        return half.serial
    }
}
