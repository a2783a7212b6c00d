/// Why an observation ended.
package enum EndReason: Sendable {
    case removed, replaced, observerGone, observedGone, controllerInvalidated
}
