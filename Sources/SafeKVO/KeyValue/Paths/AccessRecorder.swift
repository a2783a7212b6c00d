public import CSafeKVO
internal import Synchronization

/// Records the observed properties that one evaluation of a key path reads on one thread.
///
/// If the key path has a ``TrackedPath``, the recorder links the path to each dependency before it is read. Otherwise the recorder lists in
/// ``hops`` what is read.
///
/// Every `@Observed` getter finds the recorder in a thread-local pointer. A `TaskLocal` would also record the reads of tasks that a getter
/// creates.
@usableFromInline
final class AccessRecorder {
    // SAFETY: (of the unchecked exclusivity) one evaluation on one thread uses a recorder at a time, and what uses its variables runs no code of
    // the program meanwhile. The attribute saves 15 % of the instructions of a change of a computed value.

    /// The parts of a registration: the key path, and a function that makes its path if it needs one.
    typealias Registration = (keyPath: AnyKeyPath, makePath: () -> TrackedPath)

    /// The registration under way, until its path is made; nil in other evaluations.
    private var registration: Registration?
    // SAFETY: (of the reference) the function that evaluates the key path keeps its `TrackedPath` alive meanwhile.
    private var reference: Unretained<TrackedPath>?
    /// The path for which the recorder records; nil if there is none, and until a registration has made it.
    var path: TrackedPath? { unsafe reference?.object }
    /// The properties that were read without a path.
    private(set) var hops: [any Hop] = []

    /// The number of the evaluation; zero if there is no path, or if another thread has its turn.
    private(set) var evaluation: UInt64 = 0
    /// The number of the newest evaluation when this thread began to read beside another thread that has the turn; otherwise zero.
    private(set) var joined: UInt64 = 0
    /// Says for which observers the path is followed; an evaluation for former ones links nothing.
    private(set) var activation: UInt64 = 0
    /// The newest serial number when the evaluation began; later observers are not called.
    @exclusivity(unchecked) @usableFromInline private(set) var cutoff: UInt64 = 0
    /// `true` if the value is kept as the old one of the next change.
    @exclusivity(unchecked) @usableFromInline private(set) var keepsLast = false

    /// What the evaluation before has linked, in the order of its reads.
    @exclusivity(unchecked) var expected: [Link] = []
    /// The place of the next read in ``expected``.
    @exclusivity(unchecked) var expectedReads = 0
    /// The links in the order of this evaluation; nil while that is the order of the evaluation before.
    @exclusivity(unchecked) var links: [Link]?
    /// The links by what is read, if there are many.
    var known: [Read: Link] = [:]

    private let root: Unretained<AnyObject>
    /// `true` if each property so far was read from the object that the previous property returned, as in `\.a.b.c`.
    private(set) var isChained = true
    private var lastValue: UInt
    /// ``lastValue`` if it may be the address of an object; otherwise zero.
    private var lastObject: UInt = 0
    private var firstGap: UInt = 0
    /// The last property that was read; ``Read/nothing`` also if the last report was one of `access(_:)`.
    private var lastRead = Read.nothing
    /// The property whose value is the result of the evaluation; ``Read/nothing`` if the result was made from values.
    private(set) var passed = Read.nothing

    init(_ root: Unretained<AnyObject>, path: TrackedPath? = nil, registration: Registration? = nil) {
        self.root = root
        lastValue = root.word
        reference = path.map { Unretained($0) }
        self.registration = registration
    }

    @usableFromInline
    static func withCurrent<Result>(_ body: (AccessRecorder) -> Result) -> Result? {
        // SAFETY: the thread-local pointer is null, or refers to a recorder that a running call of `record(_:)` keeps alive.
        unsafe Unretained<AccessRecorder>(word: safekvo_recorder())?.with(body)
    }

    @_alwaysEmitIntoClient
    func record<Result>(_ body: () -> Result) -> Result {
        // Make this recorder the thread's current recorder while `body` runs. The caller keeps the recorder alive meanwhile.
        let outer = safekvo_recorder()
        safekvo_set_recorder(Unretained(self).word)
        defer { safekvo_set_recorder(outer) }
        return body()
    }

    /// Begins an evaluation for the path.
    func begin(_ evaluation: UInt64, of activation: UInt64, expecting expected: [Link], cutoff: UInt64, keepsLast: Bool) {
        (self.evaluation, self.activation) = (evaluation, activation)
        unsafe (self.cutoff, self.keepsLast) = (cutoff, keepsLast)
        unsafe (self.expected, expectedReads) = (expected, 0)
    }

    /// Lets the last value be, because the observers are not notified of the evaluation.
    @usableFromInline
    func keepNothing() { unsafe keepsLast = false }

    /// Begins to link the path to what this thread reads beside another thread that has the turn.
    func join(_ evaluation: UInt64, of activation: UInt64) { (joined, self.activation) = (evaluation, activation) }

    /// Ends an evaluation, so that another one can begin.
    func returnToRoot() {
        lastValue = root.word
        (lastRead, passed) = (.nothing, .nothing)
        (lastObject, firstGap) = (0, 0)
        isChained = true
    }

    // MARK: Objects and values

    func noteOwner(_ owner: UInt) {
        if lastValue != owner { noteGap() }
        (lastValue, lastObject) = (0, 0)
    }

    private func noteGap() {
        if isChained { firstGap = lastObject }
        isChained = false
    }

    /// The address of the object from which the evaluation went on by something that reported nothing; zero if there is none.
    ///
    /// For `\.song.title`, it is that of `song` if nothing reports `title`.
    var gap: UInt { firstGap == 0 ? lastObject : firstGap }

    /// Notes what a getter has returned; `value` is the first machine word of the result, the address for an object.
    func noteValue(_ value: UInt, mayBeObject: Bool) {
        lastValue = value
        lastObject = mayBeObject ? value : 0
    }

    /// Notes the result of the evaluation, by which it is known whether the result is the value of the property that was read last.
    @_alwaysEmitIntoClient
    @inline(__always)
    func noteResult(_ value: some Any) {
        let word = SameBytes.word(of: value)
        if word != 0 { noteResult(word: word) }
    }

    @usableFromInline
    func noteResult(word: UInt) {
        if word == lastValue { passed = lastRead }
    }

    // MARK: Reads

    /// Notes a read; returns `true` if the path is linked to what is read.
    ///
    /// `record` stands for the object, and `property` for its property.
    func expects(_ record: UInt, _ property: UInt) -> Bool {
        lastRead = Read(record: record, property: property)
        return isLinked(to: lastRead)
    }

    /// Records a property just before its getter reads the value.
    ///
    /// `atomic` edits the property if it is atomic, and is nil for any other property.
    @usableFromInline
    func willRead<Owner: KeyValueObservable, Value>(
        _ owner: Owner, property: UInt, keyPath: () -> ReferenceWritableKeyPath<Owner, Value>, atomic: AtomicCollection<Value>?
    ) {
        if reference == nil {
            if registration != nil, !isBeingDestroyed(owner) {
                // Before the path asks for the object's record, so that the record itself is the list of this property.
                _ = owner.keyValueRegistrar.observers.list(
                    of: PropertyKey(number: property, isAtomic: atomic != nil, values: Value.self), in: owner)
            }
            let path = keyPath()
            // Do not use `==`: the observed key path may begin with a subclass of the declaring class.
            if !beginPath(unless: { Unretained(owner).erased == root && path.isSpelling(of: $0) }) {
                let isConstant = keyPath() === path
                return hops.append(PropertyHop(owner: owner, property: property, path: path, isConstant: isConstant, atomic: atomic))
            }
            if isLinked(to: lastRead) { return }
        }
        guard let path, !isBeingDestroyed(owner) else {
            lastRead = .nothing
            return
        }
        let source = PropertyAccess.makeList(
            of: owner, property, isInherited: type(of: owner) != Owner.self, isAtomic: atomic != nil, keyPath: { keyPath() })
        let record = source.record
        // Swift traps without naming the property if it is read during its mutation in place. So report the mistake first.
        FatalMistake.check(!source.isOpen.load(ordering: .relaxed), path.whyItCannotBeRead(owner, source))
        // It is one of the links if the recorder had not known the record before.
        lastRead = Read(record: Unretained(record).word, property: property)
        link(path, source, lastRead, in: record)
    }

    /// Records a call of `access(_:)` by a getter.
    @usableFromInline
    func didAccess<Owner: KeyValueObservable>(_ owner: Owner, _ keyPath: AnyKeyPath) {
        if reference == nil, registration == nil { return }
        noteGap()
        (lastValue, lastObject, lastRead) = (0, 0, .nothing)
        guard reference != nil || beginPath(unless: { _ in false }), let path, !isBeingDestroyed(owner) else { return }
        // A getter may call `access(_:)` with the very key path that is being observed. A key path must not depend on itself.
        if path.subject == Unretained(owner).erased, path.withList({ $0.isAnnounced(by: keyPath) }) { return path.noteReport() }
        let record = owner.keyValueRegistrar.record(of: owner)
        guard let list = Recording.suspended({ DeclaredDependencies.list(of: keyPath, owner, in: record) }) else { return }
        list.noteReport()
        follow(path, list, in: record)
    }

    /// Begins to follow what is read, if a key path is being registered; returns `false` if it is the property that was read first.
    private func beginPath(unless isNamed: (AnyKeyPath) -> Bool) -> Bool {
        guard hops.isEmpty, let (keyPath, makePath) = registration, !isNamed(keyPath) else { return false }
        // The path keeps this recorder, so the recorder must not keep what the registration keeps.
        registration = nil
        let path = makePath()
        reference = Unretained(path)
        path.takeTurnOrJoin(self)
        return true
    }
}

/// An observed property that an evaluation of a key path has read.
protocol Hop {
    var property: UInt { get }
    var keyPath: AnyKeyPath { get }
    /// `true` if the property's accessors always make the same object as its key path: such a key path has no subscript arguments.
    var isConstant: Bool { get }
    /// `true` if the object's class inherits the property, and so may override it.
    var isInherited: Bool { get }
    var isAtomic: Bool { get }

    /// Makes the access to the property as a collection; returns nil if it is another one.
    func collection<Value: EditableCollection>() -> CollectionProperty<Value>?
}

private struct PropertyHop<Owner: KeyValueObservable, Leaf>: Hop {
    let owner: Owner
    let property: UInt
    let path: ReferenceWritableKeyPath<Owner, Leaf>
    let isConstant: Bool
    let atomic: AtomicCollection<Leaf>?

    var keyPath: AnyKeyPath { path }
    var isInherited: Bool { type(of: owner) != Owner.self }
    var isAtomic: Bool { atomic != nil }

    func collection<Value: EditableCollection>() -> CollectionProperty<Value>? {
        (path as? ReferenceWritableKeyPath<Owner, Value>).map {
            CollectionProperty(of: owner, property, $0, atomic: atomic as? AtomicCollection<Value>)
        }
    }
}
