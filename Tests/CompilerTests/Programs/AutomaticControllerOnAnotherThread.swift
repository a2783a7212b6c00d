// error: capture of 'observer' with non-Sendable type 'Observer' in a '@Sendable' closure
import Foundation
import SafeKVO

#if LEGAL
    func program<Observer: SharedObserver>(_ observer: Observer) {
        Thread.detachNewThread { observer.observations.unobserveAll() }
    }
#else
    func program<Observer: AutomaticObserver>(_ observer: Observer) {
        Thread.detachNewThread { observer.observations.unobserveAll() }
    }
#endif
