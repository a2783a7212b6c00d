internal import CSafeKVO

#if canImport(ObjectiveC) || SAFEKVO_PLAIN_LIST

    /// A reference to an observer that does not keep it.
    struct ObserverReference: ~Copyable {
        private weak var observer: AnyObject?

        /// Refers to an observer; to nobody if it is in its `deinit`, where Objective-C aborts whoever refers to it weakly for the first time.
        init(_ observer: AnyObject) {
            if unsafe !Unretained(observer).isBeingDestroyed { self.observer = observer }
        }

        /// The observer, unless it is gone or going.
        var object: AnyObject? { observer }

        /// Whether the observer is gone or going.
        var isGone: Bool { observer == nil }
    }

#else

    /// A reference to an observer that does not keep it, but its memory: what was destroyed there can still be asked whether it was.
    ///
    /// A weak reference would go by a table beside the object, and so would everybody who retains the object from then on. Gain over that,
    /// which is kept for Objective-C and as oracle: a set with one observer 47 instead of 73 ns, each of 100 observers 25 instead of 51 ns.
    @safe
    struct ObserverReference: ~Copyable {
        // SAFETY: (of the unsafe reference below) the runtime keeps the memory of an object, with its reference count, as long as anybody
        // refers to it as `unowned`.

        private unowned let memory: AnyObject?
        private let observer: Unretained<AnyObject>

        /// Refers to an observer; to nobody if it is in its `deinit`.
        init(_ observer: AnyObject) {
            memory = observer
            self.observer = Unretained(observer)
        }

        /// The observer, unless it is gone or going.
        var object: AnyObject? {
            @inline(__always) get {
                // SAFETY: the runtime takes a reference for us if there is still one, in one step.
                unsafe swift_tryRetain(observer.reference.toOpaque())
                    .map { unsafe Unmanaged<AnyObject>.fromOpaque($0).takeRetainedValue() }
            }
        }

        /// Whether the observer is gone or going.
        var isGone: Bool { unsafe observer.isBeingDestroyed }
    }

#endif
