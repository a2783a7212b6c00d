import CocoaDouble
import SafeKVO
import SafeKVOTesting
import Testing

/// A suite whose tests do something with the double itself, and then through a controller.
protocol CocoaSuite {
    var runtime: CocoaRuntime { get }
    var listener: ForeignListener { get }
    var observations: ObservationController<ForeignListener> { get }
}

extension CocoaSuite {
    var log: EventLog<String> { listener.log }

    /// The controller has raised nothing, and leaves nothing.
    func expectSafe(sourceLocation: SourceLocation = #_sourceLocation) {
        observations.unobserveAll()
        #expect(runtime.takeExceptions() == [], sourceLocation: sourceLocation)
        #expect(runtime.registrations.made == runtime.registrations.ended, sourceLocation: sourceLocation)
    }
}
