internal import Synchronization

/// One of the two sides of a binding.
public enum BindingSide: Sendable {
    /// The side that is named first.
    case first
    /// The side that is named second.
    case second
}

/// Binds a property to a value of another object: each new value is assigned to the property.
///
/// ```swift
/// token = bind(model, \.volume, to: slider, \.position)  // the slider shows the volume from now on
/// ```
///
/// The value is assigned on the thread that changes it, before that change returns. A value that the property has already is not assigned, so that
/// nobody hears of it. If the assignment changes the value again, that change is assigned too, and no further one inside it.
///
/// A property that is open for change in place, as in `swap(&model.volume, &slider.position)`, cannot be assigned. If somebody observes it, the value is left
/// out; otherwise Swift ends the program, as it does for an assignment by hand.
///
/// ## Lifetime
///
/// Neither object is retained. The binding ends when the token is cancelled or released, and when the source is deallocated. After the target is deallocated,
/// new values go nowhere.
///
/// - Parameters:
///   - source: The object whose value is followed.
///   - sourceKeyPath: Its value, as for `observe`: a property, a computed value, or a path through other objects.
///   - target: The object whose property is assigned. It may be the source.
///   - targetKeyPath: Its property.
///   - initial: `false` leaves the property as it is until the value changes; otherwise it is assigned before this returns.
///   - isolation: Leave it out: it names the isolation in which the property is assigned. A change in another isolation is reported and not taken over.
///   - fileID: Leave it out: it names the file in diagnostics.
///   - line: Leave it out: it names the line in diagnostics.
/// - Returns: the token, which ends the binding when it is cancelled or released.
/// - Complexity: O(1), however many others observe.
public func bind<Source: KeyPathObservable, Target: AnyObject, Value: Equatable>(
    _ source: Source, _ sourceKeyPath: KeyPath<Source, Value>, to target: Target,
    _ targetKeyPath: ReferenceWritableKeyPath<Target, Value>, initial: Bool = true,
    isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line
) -> ObservationToken {
    let round = BindingRound()
    let token = ObservationToken { observations in
        observations.observe(
            source, sourceKeyPath, initial: false, isolation: isolation, fileID: fileID, line: line,
            handler: { [weak target] _, value in round.assign(value, to: target, targetKeyPath) })
    }
    if initial { round.assign(source[keyPath: sourceKeyPath], to: target, targetKeyPath) }
    return token
}

/// Binds two properties to each other: each new value of one is assigned to the other.
///
/// ```swift
/// token = bind(model, \.volume, with: slider, \.position)  // the slider shows the volume, and moving it sets the volume
/// ```
///
/// A value is assigned on the thread that changes the other property, before that change returns. A value that a property has already is not assigned.
/// A property may make another value of what is assigned to it, as a setter that clamps does. The other property then takes that value over, once. If it
/// makes yet another value of it, each property keeps its own until the next change. While a property is open for change in place it is not assigned: the
/// end of that change decides the value of both.
///
/// Both objects belong to one isolation, or to one thread. A change of two properties on two threads at the same time is not merged.
///
/// ## Lifetime
///
/// Neither object is retained. The binding ends when the token is cancelled or released. When one of the objects is deallocated, the other keeps its value, and
/// its new values go nowhere.
///
/// - Parameters:
///   - first: An object.
///   - firstKeyPath: Its property.
///   - second: Another object, or the same one.
///   - secondKeyPath: Its property.
///   - winner: The side whose value the other side gets before this returns.
///   - isolation: Leave it out: it names the isolation in which the properties are assigned. A change in another isolation is reported and not taken over.
///   - fileID: Leave it out: it names the file in diagnostics.
///   - line: Leave it out: it names the line in diagnostics.
/// - Returns: the token, which ends the binding when it is cancelled or released.
/// - Complexity: O(1), however many others observe.
public func bind<First: KeyPathObservable, Second: KeyPathObservable, Value: Equatable>(
    _ first: First, _ firstKeyPath: ReferenceWritableKeyPath<First, Value>, with second: Second,
    _ secondKeyPath: ReferenceWritableKeyPath<Second, Value>, startingWith winner: BindingSide = .first,
    isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line
) -> ObservationToken {
    let round = BindingRound()
    let token = ObservationToken { observations in
        _ = observations.observe(
            first, firstKeyPath, initial: false, tag: "first", isolation: isolation, fileID: fileID, line: line,
            handler: { [weak second] _, value in round.assign(value, to: second, secondKeyPath) })
        return observations.observe(
            second, secondKeyPath, initial: false, tag: "second", isolation: isolation, fileID: fileID, line: line,
            handler: { [weak first] _, value in round.assign(value, to: first, firstKeyPath) })
    }
    // Not in an initial call: what the other side makes of the value would come after that, and be a round of its own.
    switch winner {
    case .first: round.assign(first[keyPath: firstKeyPath], to: second, secondKeyPath)
    case .second: round.assign(second[keyPath: secondKeyPath], to: first, firstKeyPath)
    }
    return token
}

extension KeyValueObservable {
    /// `true` if a property that somebody observes is open for change in place.
    fileprivate func isOpen(_ keyPath: AnyKeyPath) -> Bool {
        // SAFETY: the object is held by the caller, and keeps its record and the lists.
        unsafe PropertyAccess.list(of: self, keyValueRegistrar, spelled: keyPath)?.with { $0.isOpen.load(ordering: .relaxed) } ?? false
    }
}

/// The assignments of a binding that are under way.
private final class BindingRound: Sendable {
    private let depth = Atomic<Int>(0)

    /// Assigns a value to a property that does not have it yet, unless that would answer the answer to a change.
    ///
    /// Two setters may never agree, and some values do not equal themselves: the limit keeps the binding from running in a circle.
    func assign<Target: AnyObject, Value: Equatable>(
        _ value: Value, to target: Target?, _ keyPath: ReferenceWritableKeyPath<Target, Value>
    ) {
        guard let target, depth.load(ordering: .relaxed) < 2 else { return }
        // Swift ends the program if a property is read while it is open for change in place. The end of that change tells a two-way binding.
        if let owner = target as? any KeyValueObservable, owner.isOpen(keyPath) { return }
        if target[keyPath: keyPath] == value { return }
        depth.wrappingAdd(1, ordering: .relaxed)
        target[keyPath: keyPath] = value
        depth.wrappingSubtract(1, ordering: .relaxed)
    }
}
