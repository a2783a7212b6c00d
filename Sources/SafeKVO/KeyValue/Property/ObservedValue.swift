/// An observable value that threads share, with no class of your own to write.
///
/// ```swift
/// final class Download: Sendable {
///     let progress = ObservedValue(0.0)
/// }
///
/// observations.observe(
///     download.progress, \.value,
///     on: .mainActor { bar, progress in bar.progress = progress })
///
/// download.progress.value = 0.5  // on any thread
/// download.progress.$value.update { $0 += 0.1 }
/// ```
///
/// The object is `Sendable`, and so is a class that stores such objects in constants. Any thread may read, write and observe ``value``.
///
/// ## Lifetime
///
/// An observed object is retained by the controller that observes it, unless that controller was made with `retainsObserved: false`. When
/// the object is deallocated, its observations end.
public final class ObservedValue<Value: Sendable>: KeyValueObservable, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) the only variable is the wrapper of `value`, which is assigned in `init` alone. The value itself lies
    // in the wrapper's cell, under a lock.

    /// The registrar, which stores the observations of the object.
    public let keyValueRegistrar = KeyValueRegistrar()

    /// The value, which is read and written atomically.
    ///
    /// Each write notifies the observers of one change. `value += 1` is a read and a write, between which another thread may write. Use
    /// `$value.update { $0 += 1 }` instead: ``AtomicObserved/Projection/update(fileID:line:_:)``.
    @AtomicObserved public var value: Value

    /// Makes an object with its initial value.
    public init(_ value: Value) {
        self.value = value
    }
}
