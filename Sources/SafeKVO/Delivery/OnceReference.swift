public import Synchronization

/// An atomic reference to an object, which is stored once and retained until the end of this value.
@usableFromInline
package struct OnceReference<Object: AnyObject>: ~Copyable {
    // SAFETY: (of all uses of the stored address) the word is zero, or the address of an object that `store(_:)` has retained. Only
    // `take()` changes the word again. So the object lives until `take()` or until the end of this value.

    @usableFromInline let word = Atomic<UInt>(0)

    @_alwaysEmitIntoClient
    package init() {}

    deinit { unsafe reference?.release() }

    /// `true` if no object is stored.
    ///
    /// Reading this property does not make the contents of the object visible.
    @_alwaysEmitIntoClient
    package var isEmpty: Bool {
        @inline(__always) get { word.load(ordering: .relaxed) == 0 }
    }

    @_alwaysEmitIntoClient
    @inline(__always)
    var reference: Unretained<Object>? { Unretained(word: word.load(ordering: .acquiring)) }

    package var object: Object? { with { $0 } }

    /// Returns the object that is stored; if there is none, stores the one that `make` returns, unless another thread is faster.
    func object(orMake make: () -> Object) -> Object { object ?? store(make()) }

    /// Calls a closure with the object, without retaining the object.
    @_alwaysEmitIntoClient
    @inline(__always)
    func with<Result>(_ body: (Object) -> Result) -> Result? { unsafe reference?.with(body) }

    /// Stores an object, unless another one is stored, and returns the object that is stored now.
    @discardableResult
    package func store(_ object: Object) -> Object {
        let made = Unretained(object)
        unsafe made.retain()
        if word.compareExchange(expected: 0, desired: made.word, ordering: .acquiringAndReleasing).exchanged { return object }
        unsafe made.release()
        return self.object ?? object
    }

    /// Empties this value, and returns the object that it stored.
    ///
    /// No other thread may use this value any more.
    @unsafe
    func take() -> Object? {
        let taken = reference
        word.store(0, ordering: .relaxed)
        return unsafe taken?.takeRetained()
    }
}

extension OnceReference: Sendable where Object: Sendable {}
