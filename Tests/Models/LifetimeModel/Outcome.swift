/// What came of a registration.
package enum Outcome: Sendable {
    case added, alreadyObserved, replaced, observerDeinitialized, controllerInvalidated

    package var isObserving: Bool { self == .added || self == .replaced }
}
