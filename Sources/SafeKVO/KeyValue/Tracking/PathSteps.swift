/// What a tracked path does that depends on its types: formed where they are known, so that the compiler can do its best.
///
/// Each is handed the path and its subject.
@usableFromInline
struct PathSteps {
    /// What changes, and the list through which the path hears of the end of that.
    @usableFromInline typealias Source = (dependency: UInt, list: UInt)

    /// Counts an interest in, and evaluates if that must be.
    let activate: (TrackedPath, AnyObject) -> Void
    /// Evaluates.
    let evaluate: (TrackedPath, AnyObject) -> Void
    /// Evaluates, and tells that the value was set.
    let tell: (TrackedPath, AnyObject, DependencyRecorder, OpenChange?) -> Void
    /// Tells a change of the last property of a chain, which is what changed, under a number.
    let tellLeaf: (TrackedPath, AnyObject, EventPointer, OpenChange?, UInt64) -> Void
    /// Tells a change to come, and notes that it is under way; with the event of the last property of a chain, if that is what changes.
    let tellPrior: (TrackedPath, AnyObject, EventPointer?, Source, OpenChange.Meaning, UInt32) -> Void
    /// Leaves a change to the batch.
    let postpone: (TrackedPath, AnyObject, OpenChange?) -> Void

    @usableFromInline
    init(
        activate: @escaping (TrackedPath, AnyObject) -> Void,
        evaluate: @escaping (TrackedPath, AnyObject) -> Void,
        tell: @escaping (TrackedPath, AnyObject, DependencyRecorder, OpenChange?) -> Void,
        tellLeaf: @escaping (TrackedPath, AnyObject, EventPointer, OpenChange?, UInt64) -> Void,
        tellPrior: @escaping (TrackedPath, AnyObject, EventPointer?, Source, OpenChange.Meaning, UInt32) -> Void,
        postpone: @escaping (TrackedPath, AnyObject, OpenChange?) -> Void
    ) {
        self.activate = activate
        self.evaluate = evaluate
        self.tell = tell
        self.tellLeaf = tellLeaf
        self.tellPrior = tellPrior
        self.postpone = postpone
    }

    @inlinable
    init<Root: KeyValueObservable, Value>(_ keyPath: KeyPath<Root, Value>) {
        typealias Typed = TypedPathSteps<Root, Value>
        self.init(
            activate: { Typed.activate($0, $1) }, evaluate: { Typed.evaluate($0, $1) }, tell: { Typed.tell($0, $1, $2, $3) },
            tellLeaf: { Typed.tellLeaf($0, $1, $2, $3, $4) }, tellPrior: { Typed.tellPrior($0, $1, $2, $3, $4, $5) },
            postpone: { Typed.postpone($0, $1, $2) })
    }
}
