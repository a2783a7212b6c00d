import Foundation

/// Does things on a thread of its own while the caller waits.
enum OtherThread {
    static func run(_ body: @escaping @Sendable () -> Void) {
        let done = DispatchSemaphore(value: 0)
        Figures.shared.add(threads: 1)
        Thread {
            body()
            done.signal()
        }.start()
        done.wait()
    }
}
