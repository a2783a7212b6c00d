/// Does things on a thread of its own while the test's thread waits.
package enum OtherThread {
    package static func run(_ body: @escaping @Sendable () -> Void) {
        let done = Flag()
        Threads.start {
            body()
            done.set()
        }
        done.wait()
    }
}
