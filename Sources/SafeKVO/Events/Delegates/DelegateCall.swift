/// What is being done with each delegate.
struct DelegateCall<Delegate> {
    let body: (Delegate) -> Void
}
