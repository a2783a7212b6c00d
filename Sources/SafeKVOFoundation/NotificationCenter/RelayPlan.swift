internal import Foundation
internal import SafeKVO

/// Decides which names must be registered with Foundation for the observers of one notification center.
///
/// A *name registration* gets the notifications of one name. The *all-names registration*, whose name is `nil`, gets all notifications. An
/// *all-names observer* wants the notifications of all names. If Foundation passes one notification to both kinds of registration, the plan
/// decides which one notifies an observer.
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
        /// The registration for one name may have come too early, so the caller must remove it from Foundation and carry out this new
        /// request.
        ///
        /// Since the old request, the registration for all names was made. The name must be registered after it.
        case outdated(Request)
    }

    private struct Entry {
        let name: Notification.Name?
        let number: UInt64
        /// The number of observed topics (names or objects) and observers of all names that need this registration with Foundation.
        ///
        /// At zero, the registration ends, unless observers of all names still get notifications through it.
        var needs = 0
        var current: (request: UInt64, token: Token)?
        var boundary: Boundary?
    }

    /// Divides the observers between two registrations with Foundation, so that no observer gets one notification twice.
    ///
    /// A post in progress may reach the older registration (for all names) and not the newer one (for this name). So the older one notifies
    /// the observers of all names that came before the newer one. The newer one notifies all other observers.
    ///
    /// Sometimes Foundation calls the newer registration first (see ``FoundationOrder``). Then that registration notifies all observers.
    private struct Boundary {
        let serial: UInt32
        let everyName: UInt64
        /// Shows whether all-names observers were added after this registration of a name: then the plan's `arrivals` is greater.
        ///
        /// Such observers get the name's notifications through this registration, so it stays until the last all-names observer is removed.
        let arrivals: UInt64
    }

    /// Remembers that Foundation has passed a notification to one registration and may pass it to a second one.
    ///
    /// One registration is for the notification's name, and one is for all names. The second call then leaves out observers that were
    /// notified in the first call or were added since.
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

    /// Counts a topic or an observer that needs the notifications of a name; `nil` stands for all names.
    ///
    /// - Returns: A request to register with Foundation before the observer is added; `nil` if that is not needed.
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

    /// Takes back one call of ``add(_:)``, and returns the tokens of the registrations that the caller must remove from Foundation.
    mutating func remove(_ name: Notification.Name?) -> [Token] {
        guard let place = places[name] else { return [] }
        entries[place]?.needs -= 1
        guard let entry = entries[place], entry.needs == 0 else { return [] }
        if name != nil { return servesEveryName(entry) ? [] : take(place) }
        firstOfEveryName = [:]
        firstOfName = [:]
        // A name without observers of its own stays registered while all-names observers get its notifications through that registration.
        // The last all-names observer has now been removed, so end the registrations of these names.
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

    /// Stores a registration that the caller has made with Foundation, unless `request` is out of date.
    ///
    /// If the result is not `.current`, the caller must remove the registration. `serial` is the serial number of the newest observer.
    mutating func register(_ token: Token, for request: Request, serial: UInt32) -> Outcome {
        guard !hasEnded, let entry = entries[request.place], entry.number == request.entry, entry.current == nil else {
            return .superfluous
        }
        if request.name == nil {
            // This is the registration for all names. Only the registration of a name stores how the two share the observers (see
            // `Boundary`).
        } else if let everyName {
            // If both registrations exist, they share observers correctly only if the name was registered with Foundation after all names
            // were. `request` is older than the registration for all names, so the order is unknown. The caller must register the name
            // again.
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

    /// Returns `true` if the registration that was made for `request` notifies all observers of its name.
    ///
    /// The plan recorded this registration before any registration for all names, which then leaves the name to it.
    func servesEverybody(_ request: Request) -> Bool {
        servingEverybody[request.place] == request.number
    }

    /// Chooses the observers to notify when Foundation passes a notification to a registration; returns `nil` if there are none.
    ///
    /// `request` is the request for which the registration was made. `serial` is the serial number of the observer that was registered
    /// last.
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

    /// Records that the registration for all names has notified observers of a notification named `name`.
    ///
    /// Foundation may next pass the same notification to the registration of that name. Observers with serial numbers above `serial`, which
    /// were added since, are then left out.
    mutating func didServe(_ request: Request, _ name: Notification.Name, serial: UInt32, thread: UInt) {
        guard request.name == nil, let everyName, everyName == request.entry else { return }
        guard let place = places[name], entries[place]?.boundary?.everyName == everyName else { return }
        firstOfEveryName[thread, default: []].append(Half(name: name, everyName: everyName, serial: serial))
    }

    /// Finds out whether Foundation has just passed the same notification to a second registration, on this thread.
    ///
    /// If so, removes that call's entry from `halves`, and returns the serial number of the observer that was the newest then.
    private static func take(
        _ halves: inout [UInt: [Half]], _ name: Notification.Name, _ thread: UInt, _ everyName: UInt64?
    ) -> UInt32? {
        guard let half = halves[thread]?.last, half.name == name, half.everyName == everyName else { return nil }
        halves[thread]?.removeLast()
        if halves[thread]?.isEmpty ?? false { halves[thread] = nil }
        return half.serial
    }
}
