import KeyValueModel
import SafeKVO

extension LiveProgram {
    func announce(_ step: Step) {
        preconditionFailure("Later: \(step).")
    }
}
