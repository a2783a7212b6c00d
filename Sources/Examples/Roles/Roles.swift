import SafeKVO
import SafeKVOEvents

/// The classic example of the observer pattern.
///
/// The program attaches three observers and notifies them. Then it detaches the second one and notifies again.
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
        withExtendedLifetime(observers) {}  // The subject does not retain its observers.
    }
}
