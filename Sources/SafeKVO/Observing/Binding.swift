internal import Synchronization

/// One of the two sides of a two-way binding.
public enum BindingSide: Sendable {
    /// The object and the property that `bind` names first.
    case first
    /// The object and the property that `bind` names second.
    case second
}

/// Assigns each new value of one object's property to another object's property.
///
/// ```swift
/// // The slider shows the volume from now on.
/// token = bind(model, \.volume, to: slider, \.position)
/// ```
///
/// The target is assigned on the thread that changes the source, before the setter of the source returns. If the target already has the
/// value, it is not assigned, so its observers are not notified.
///
/// If the assignment changes the source, the target gets the source's new value too. If this second assignment changes the source again,
/// the target is not assigned a third time.
///
/// All assignments happen in the isolation in which `bind` is called. If an atomic property of the source is changed in another isolation,
/// the present value is assigned there, later. Any other change there is reported and not assigned.
///
/// A property cannot be assigned while code modifies it in place, as in `swap(&model.volume, &slider.position)`. The binding then skips the
/// value if the target's property has an observer. Otherwise the program stops with Swift's error for overlapping accesses.
///
/// ## Lifetime
///
/// The binding retains neither object. It ends when the token is cancelled or released, or when the source is deallocated. If the target is
/// deallocated, new values are ignored.
///
/// - Parameters:
///   - source: The object whose value is followed.
///   - sourceKeyPath: The key path from the source to the value. It may name a computed property or lead through other objects.
///   - target: The object whose property is assigned. It may be the source itself.
///   - targetKeyPath: The key path to the property that is assigned.
///   - initial: `true` to assign the present value before this function returns; `false` to wait for the first change.
/// - Returns: A token that ends the binding when it is cancelled or released.
/// - Complexity: O(1), regardless of the number of other observers.
@_alwaysEmitIntoClient
public func bind<Source: KeyPathObservable, Target: AnyObject, Value: Equatable>(
    _ source: Source, _ sourceKeyPath: KeyPath<Source, Value>, to target: Target,
    _ targetKeyPath: ReferenceWritableKeyPath<Target, Value>, initial: Bool = true,
    isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line
) -> ObservationToken {
    bind(
        source, sourceKeyPath, to: target, targetKeyPath, initial: initial, isolation: isolation, fileID: fileID, line: line,
        transform: { $0 })
}

/// Converts each new value of one object's property, and assigns the result to another object's property.
///
/// ```swift
/// token = bind(model, \.volume, to: label, \.text) { "\($0) dB" }
/// ```
///
/// The closure runs in the isolation in which `bind` is called, once for each change of the source. If the target already has the result,
/// it is not assigned. The token retains the closure until the binding ends.
///
/// Otherwise this overload works like the one without a closure.
///
/// - Returns: A token that ends the binding when it is cancelled or released.
/// - Complexity: O(1), regardless of the number of other observers.
@_alwaysEmitIntoClient
public func bind<Source: KeyPathObservable, Value, Target: AnyObject, Result: Equatable>(
    _ source: Source, _ sourceKeyPath: KeyPath<Source, Value>, to target: Target,
    _ targetKeyPath: ReferenceWritableKeyPath<Target, Result>, initial: Bool = true,
    isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
    transform: @escaping (_ value: Value) -> Result
) -> ObservationToken {
    let (round, calls) = (BindingRound(), NestedCalls())
    let assign = { (value: Value, target: Target?) in
        guard let result = calls.resultIfNewest({ transform(value) }) else { return }
        round.assign(result, to: target, targetKeyPath)
    }
    let token = ObservationToken { observations in
        observations.observe(
            source, sourceKeyPath, initial: false, isolation: isolation, fileID: fileID, line: line,
            handler: { [weak target] _, value in assign(value, target) })
    }
    if initial { assign(source[keyPath: sourceKeyPath], target) }
    return token
}

/// Keeps two properties equal: assigns each new value of one property to the other.
///
/// ```swift
/// // The slider shows the volume, and moving it sets the volume.
/// token = bind(model, \.volume, with: slider, \.position)
/// ```
///
/// A change of one property assigns the other one on the same thread, before the setter returns. If a property already has the value, it is
/// not assigned.
///
/// A setter may store another value than the assigned one, for example a clamped value. The stored value is then assigned back to the other
/// property. If that property's setter changes the value once more, the two properties differ until the next change.
///
/// A property is not assigned while code modifies it in place. When that modification ends, its result is assigned to the other property.
///
/// Both objects must belong to one isolation or to one thread. A change in another isolation than the caller's is reported and not
/// assigned. If two threads change the two properties at the same time, the properties may differ afterwards.
///
/// ## Lifetime
///
/// The binding retains neither object. It ends when the token is cancelled or released. If one object is deallocated, new values of the
/// remaining object are ignored.
///
/// - Parameters:
///   - first: An object.
///   - firstKeyPath: The key path to the property of the first object.
///   - second: Another object, or the same one.
///   - secondKeyPath: The key path to the property of the second object.
///   - winner: The side whose value is assigned to the other side before this function returns.
/// - Returns: A token that ends the binding when it is cancelled or released.
/// - Complexity: O(1), regardless of the number of other observers.
@_alwaysEmitIntoClient
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
    // Assign the first value here, and not in an initial call of a handler. Setters may assign values back and forth, and `round` limits
    // how deeply these assignments nest. But changes made in an initial call are delivered after that call, so `round` could not count the
    // nesting.
    switch winner {
    case .first: round.assign(first[keyPath: firstKeyPath], to: second, secondKeyPath)
    case .second: round.assign(second[keyPath: secondKeyPath], to: first, firstKeyPath)
    }
    return token
}

extension KeyValueObservable {
    /// Returns `true` if an observed property is being modified in place.
    fileprivate func isOpen(_ keyPath: AnyKeyPath) -> Bool {
        // SAFETY: The caller retains the object, and the object retains its lists of observers.
        unsafe PropertyAccess.list(of: self, keyValueRegistrar, spelled: keyPath)?.with { $0.isOpen.load(ordering: .relaxed) } ?? false
    }
}

/// Limits how deeply the assignments of one binding nest.
///
/// Without a limit, two setters that keep changing each other's value would recurse without end. So would a value that differs from itself,
/// such as NaN.
@usableFromInline
final class BindingRound: Sendable {
    private let depth = Atomic<Int>(0)

    @usableFromInline
    init() {}

    @usableFromInline
    func assign<Target: AnyObject, Value: Equatable>(
        _ value: Value, to target: Target?, _ keyPath: ReferenceWritableKeyPath<Target, Value>
    ) {
        guard let target, depth.load(ordering: .relaxed) < 2 else { return }
        // Swift traps if code reads a property during its in-place modification, so skip the value. A two-way binding is notified when the
        // modification ends.
        if let owner = target as? any KeyValueObservable, owner.isOpen(keyPath) { return }
        if target[keyPath: keyPath] == value { return }
        depth.wrappingAdd(1, ordering: .relaxed)
        target[keyPath: keyPath] = value
        depth.wrappingSubtract(1, ordering: .relaxed)
    }
}
