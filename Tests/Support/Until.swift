package import Testing

/// Waits, and lets others have the processor meanwhile; a test whose condition does not come true within five minutes fails.
///
/// Tests run side by side, on two processors at the worst. One that spins takes a processor away from those it waits for.
package func until(
    isolation: isolated (any Actor)? = #isolation, sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () async -> Bool
) async {
    let limit = ContinuousClock.now + .seconds(300)
    while await !condition() {
        guard ContinuousClock.now < limit else {
            Issue.record("It has not come true", sourceLocation: sourceLocation)
            return
        }
        // A task that is cancelled does not sleep.
        if (try? await Task.sleep(for: .milliseconds(1))) == nil { await Task.yield() }
    }
}
