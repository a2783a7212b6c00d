/// What a change on its way has whatever the type of its value.
@usableFromInline
struct KeyValueEventHeader {
    @usableFromInline
    enum Phase: UInt8 {
        case prior
        case after
        case initial
    }

    // SAFETY: the caller of the setter holds the subject as long as the delivery lasts; a waiting copy of the event is delivered while the
    // caller of `observe` holds it.
    @usableFromInline let subject: Unretained<AnyObject>
    @usableFromInline let kind: KeyValueChangeKind
    @usableFromInline var phase: Phase
    /// What only changes of collections have.
    @usableFromInline var elements: ElementsChange?
    /// Whether the change was announced by hand.
    @usableFromInline var isByHand: Bool

    @inlinable
    init(subject: AnyObject, kind: KeyValueChangeKind, phase: Phase, elements: ElementsChange?) {
        self.subject = Unretained(subject)
        self.kind = kind
        self.phase = phase
        self.elements = elements
        isByHand = false
    }
}
