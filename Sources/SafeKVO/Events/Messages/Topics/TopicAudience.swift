internal import CSafeKVO

/// The observers that are to be notified of an event, of all those that it concerns.
///
/// Observers of every name are divided by their place in the order of registration.
package enum TopicAudience: Equatable, Sendable {
    /// All.
    case everybody
    /// The observers of the name, and those of every name whose place is behind a serial number, that were registered by a moment.
    case named(andEveryNameAfter: UInt32, present: UInt32)
    /// The observers of every name, up to a place, that were registered by a moment.
    case everyName(upTo: UInt32, present: UInt32)
}

extension TopicTable {
    /// The number of the present thread.
    package static var thread: UInt { safekvo_thread() }
}

extension EventRegistrar {
    /// The number of the last registration; every later one has a larger number.
    // SAFETY: the registrar keeps the record.
    package var topicSerial: UInt32 { unsafe observers.record?.with { $0.currentSerial } ?? 0 }
}
