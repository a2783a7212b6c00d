import SafeKVO

/// The observer: told that the subject has changed, it asks for the state.
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
