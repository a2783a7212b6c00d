/// Why an observation ended.
package enum EndReason: Sendable {
    case removed, replaced, observerDeinitialized, objectDeinitialized, controllerInvalidated
}
