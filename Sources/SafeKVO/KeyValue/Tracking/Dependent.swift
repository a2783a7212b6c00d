/// Something whose value depends on properties that announce their changes.
protocol Dependent: AnyObject {
    /// A property is about to change. Called only if the info asks for prior calls.
    func sourceWillChange(_ info: ObservationInfo, _ event: EventPointer)
    /// A property has changed.
    func sourceDidChange(_ info: ObservationInfo, _ event: EventPointer)
}
