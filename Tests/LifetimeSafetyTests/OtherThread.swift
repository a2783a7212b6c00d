import TestSupport

/// Does things on a thread of its own while the caller waits, and counts the thread.
enum OtherThread {
    static func run(_ body: @escaping @Sendable () -> Void) {
        Figures.shared.add(threads: 1)
        TestSupport.OtherThread.run(body)
    }
}
