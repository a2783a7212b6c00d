/// Does things on a thread of its own while the test's thread waits.
enum OtherThread {
    static func run(_ body: @escaping @Sendable () -> Void) {
        let done = Flag()
        Threads.start {
            body()
            done.set()
        }
        done.wait()
    }
}
