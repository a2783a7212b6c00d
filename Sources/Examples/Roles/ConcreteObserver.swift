import SafeKVO
import SafeKVOEvents

/// The observer of the example, which reads the subject's state when it is notified.
final class ConcreteObserver: SubjectObserver {
    let name: String
    private(set) var state = ""

    init(name: String) {
        self.name = name
    }

    func update(_ subject: ConcreteSubject) {
        state = subject.state
        print("Observer \(name)'s new state is \(state)")
    }
}
