/// The time between the announcement of a change and the change itself, when its observers are settled.
///
/// Who registers in it on another thread may have read the old value as its initial one, and is told of the change too.
@usableFromInline
final class OpenWindow {
    private let record: ObservationRecord
    private let limit: UInt32
    private var isOpen = true

    /// Opens it.
    ///
    /// - Parameters:
    ///   - record: Whose property is about to change.
    ///   - limit: The observers that are settled.
    init(_ record: ObservationRecord, limit: UInt32) {
        self.record = record
        self.limit = limit
        record.beginOpenChange()
    }

    deinit {
        if isOpen { _ = record.endOpenChange(after: limit) }
    }

    /// Closes it.
    ///
    /// - Parameter list: The list of what has changed.
    /// - Returns: its observers that came meanwhile, on another thread.
    func close(_ list: Unretained<ObserverList>) -> [ObservationInfo] {
        guard isOpen else { return [] }
        isOpen = false
        return record.endOpenChange(after: limit).filter { $0.list == list }
    }
}
