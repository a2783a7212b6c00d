import KeyValueModel
import SafeKVO

/// Edits through the proxies of collections.
extension LiveProgram {
    func editItems(_ node: Int, _ route: Route, _ edit: ArrayEdit) {
        switch route {
        case .own: edit.perform(on: nodes[node].mutableArrayValue(for: \.items))
        case .inner: edit.perform(on: subjects[node].mutableArrayValue(for: \.inner.items))
        case .part: edit.perform(on: subjects[node].mutableArrayValue(for: \.part.items))
        case .innerPart: edit.perform(on: subjects[node].mutableArrayValue(for: \.inner.part.items))
        }
    }

    func editSet(_ node: Int, _ route: Route, _ edit: SetEdit) {
        switch route {
        case .own: edit.perform(on: nodes[node].mutableSetValue(for: \.set))
        case .inner: edit.perform(on: subjects[node].mutableSetValue(for: \.inner.set))
        case .part: edit.perform(on: subjects[node].mutableSetValue(for: \.part.set))
        case .innerPart: edit.perform(on: subjects[node].mutableSetValue(for: \.inner.part.set))
        }
    }
}
