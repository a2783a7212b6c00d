import Glibc

/// Does things on a thread of its own while the caller waits.
///
/// It waits until the thread is gone, for the fuzzer looks for leaks after each program.
enum OtherThread {
    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    static func run(_ body: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        // SAFETY: the reference is handed over to the thread, which gives it back.
        let reference = unsafe Unmanaged.passRetained(Body(body)).toOpaque()
        let failure = unsafe pthread_create(
            &thread, nil,
            { pointer in
                if let pointer = unsafe pointer { unsafe Unmanaged<Body>.fromOpaque(pointer).takeRetainedValue().run() }
                return nil
            }, reference)
        precondition(failure == 0, "There is no thread left.")
        _ = pthread_join(thread, nil)
    }
}
