import SafeKVO

/// The observer pattern as the literature tells it: three attached, notify, the middle one detached, notify.
@main
enum Roles {
    static func main() {
        let subject = ConcreteSubject()
        let observers = ["X", "Y", "Z"].map(ConcreteObserver.init(name:))
        for observer in observers { subject.attach(observer) }

        subject.state = "ABC"
        subject.notify()

        subject.detach(observers[1])

        subject.state = "DEF"
        subject.notify()
        withExtendedLifetime(observers) {}  // the subject does not keep them
    }
}
