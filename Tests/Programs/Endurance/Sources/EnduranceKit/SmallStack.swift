internal import CEndurance

/// A thread with a small stack.
public enum SmallStack {
    /// Calls a closure on a new thread with a stack of the given size, and returns when the thread has ended.
    ///
    /// - Returns: `false` if there is no thread with such a stack.
    public static func run(bytes: Int, _ body: @escaping () -> Void) -> Bool {
        let call = Call(body)
        return withExtendedLifetime(call) {
            // SAFETY: The thread gets the address of `call`, which lives until the thread has ended.
            unsafe endurance_run_on_stack(
                UInt64(bytes),
                { unsafe $0.map { unsafe Unmanaged<Call>.fromOpaque($0).takeUnretainedValue().body() } },
                Unmanaged.passUnretained(call).toOpaque()) == 0
        }
    }

    private final class Call {
        let body: () -> Void

        init(_ body: @escaping () -> Void) { self.body = body }
    }
}
