internal import Foundation
internal import SafeKVO

/// Decides which names must be registered with Foundation for the observers of one notification center.
///
/// A *registration for one name* gets the notifications of that name. The *registration for every name*, whose name is `nil`, gets all
/// notifications. An *observer of every name* registered with `nil` as the name. If Foundation passes one notification to both kinds of
/// registration, the plan decides which registration notifies an observer.
///
/// Two cases are not exact, but no notification is lost or delivered twice:
///
/// - If the handler of the last observer of every name registers another such observer, the new observer may get the notification that is
///   being posted.
/// - If the last observer of every name is removed while another is being added, later observers may be called before the added one.
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
        /// The caller must remove its registration for one name from Foundation, and register the name again with this new request.
        ///
        /// The registration for every name was stored after the caller got its old request. A registration for one name must be made after
        /// the registration for every name, so that the order of the two is known.
        case outdated(Request)
    }

    private struct Entry {
        let name: Notification.Name?
        let number: UInt64
        /// The number of observed topics, and of observers without a topic, that need this registration with Foundation.
        ///
        /// A topic is a name, an object, or both. At zero, the registration ends. But a registration for one name stays if it notifies
        /// observers that registered with `nil` as the name.
        var needs = 0
        var current: (request: UInt64, token: Token)?
        var boundary: Boundary?
    }

    /// Decides which of two registrations with Foundation notifies an observer, so that no observer gets one notification twice.
    ///
    /// Foundation has two registrations: an older one for all names, and a newer one for this name. A notification that was posted before
    /// the newer one existed reaches only the older one. So the older one notifies the observers that registered with `nil` as the name, up
    /// to the serial number `serial`. The newer one notifies those with greater numbers, and the observers of this name.
    ///
    /// Sometimes Foundation calls the newer registration first (see ``FoundationOrder``). Then that registration notifies all observers.
    private struct Boundary {
        let serial: UInt64
        let everyName: UInt64
        /// The value that ``RelayPlan/arrivals`` had when this name was registered.
        ///
        /// `arrivals` grows when an observer registers with `nil` as the name. If `arrivals` has grown since, the registration for this
        /// name notifies such an observer. So the registration then stays until the last such observer is removed.
        let arrivals: UInt64
    }

    /// Remembers that Foundation has passed a notification to the first of two registrations, and may pass it to the second.
    ///
    /// One registration is for the notification's name, and the other is for every name. The second registration skips the observers that
    /// the first one notified, and the observers that were added after Foundation called the first one.
    private struct Half {
        let name: Notification.Name
        let everyName: UInt64
        let serial: UInt64
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

    /// Counts one more topic or observer that needs the notifications of a name, or all notifications if `name` is `nil`.
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

    /// Reverses one call of ``add(_:)``, because a topic or an observer no longer needs the notifications.
    ///
    /// Returns the tokens of the registrations that the caller must remove from Foundation.
    mutating func remove(_ name: Notification.Name?) -> [Token] {
        guard let place = places[name] else { return [] }
        entries[place]?.needs -= 1
        guard let entry = entries[place], entry.needs == 0 else { return [] }
        if name != nil { return servesEveryName(entry) ? [] : take(place) }
        firstOfEveryName = [:]
        firstOfName = [:]
        // A registration for one name stays without observers of that name, if it notifies observers that registered with `nil` as the
        // name. The last of these observers has now been removed, so end each registration that is no longer needed.
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
    mutating func register(_ token: Token, for request: Request, serial: UInt64) -> Outcome {
        guard !hasEnded, let entry = entries[request.place], entry.number == request.entry, entry.current == nil else {
            return .superfluous
        }
        if request.name == nil {
            // The registration for every name stores no `Boundary`. Only a registration for one name may store one.
        } else if let everyName {
            // To notify no observer twice, a registration for one name must be newer than the registration for every name (see `Boundary`).
            // If the registration for every name was stored after `request` was made, the registration for one name may be the older one.
            // Then the caller must register the name again.
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

    /// Returns `true` if the registration made for `request` also notifies the observers that registered with `nil` as the name.
    ///
    /// The result is `true` if the registration for every name did not exist when `request` was registered. If the registration for every
    /// name is made later, it ignores the name of `request`, so that nobody is notified twice.
    func servesEverybody(_ request: Request) -> Bool {
        servingEverybody[request.place] == request.number
    }

    /// Chooses the observers to notify when Foundation passes a notification to a registration, so that no observer is notified twice.
    ///
    /// `request` identifies the registration, which was made for that request. `serial` is the serial number of the newest observer.
    /// Returns `nil` if this registration must notify nobody.
    mutating func audience(
        of request: Request, for name: Notification.Name, serial: UInt64, thread: UInt, callsNameFirst: Bool
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

    /// Records that the registration for every name has notified observers of a notification that is named `name`.
    ///
    /// Foundation may next pass the same notification to the registration for `name`. That registration skips observers with serial numbers
    /// above `serial`, because they were added after Foundation called the registration for every name.
    mutating func didServe(_ request: Request, _ name: Notification.Name, serial: UInt64, thread: UInt) {
        guard request.name == nil, let everyName, everyName == request.entry else { return }
        guard let place = places[name], entries[place]?.boundary?.everyName == everyName else { return }
        firstOfEveryName[thread, default: []].append(Half(name: name, everyName: everyName, serial: serial))
    }

    /// Removes and returns the serial number that the first of two calls for a notification stored on this thread; `nil` if there is none.
    ///
    /// Foundation may call two registrations for one notification: the registration for its name, and the registration for every name. The
    /// first call stores the newest observer's serial number in `halves`, for the second call.
    private static func take(
        _ halves: inout [UInt: [Half]], _ name: Notification.Name, _ thread: UInt, _ everyName: UInt64?
    ) -> UInt64? {
        guard let half = halves[thread]?.last, half.name == name, half.everyName == everyName else { return nil }
        halves[thread]?.removeLast()
        if halves[thread]?.isEmpty ?? false { halves[thread] = nil }
        return half.serial
    }
}
