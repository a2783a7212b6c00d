import Observation
import SafeKVO

final class Inheriting: KeyValueObject {
    @Observed var number = 0
    @AtomicObserved var shared = 0
}

final class Conforming: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var number = 0
    @AtomicObserved var shared = 0
}

class Open: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed final var number = 0
    @AtomicObserved final var shared = 0
}

final class Tracked: KeyValueObservable, Observable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var number = 0
    @AtomicObserved var shared = 0
}
