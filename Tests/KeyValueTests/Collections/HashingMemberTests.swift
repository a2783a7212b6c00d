import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

/// Members of sets whose `hash(into:)` uses the set that is being changed, which the documentation forbids.
///
/// The cases run one after another, because they count the warnings about the same property.
@Suite(.serialized) struct HashingMemberTests {
    /// A member that calls a closure when it is hashed.
    struct Member: Hashable {
        let text: String
        let hook: Hook

        func hash(into hasher: inout Hasher) {
            hook.call()
            hasher.combine(text)
        }

        static func == (left: Member, right: Member) -> Bool { left.text == right.text }
    }

    final class Hook {
        var calls = 0
        var body: ((Int) -> Void)?

        func call() {
            calls += 1
            body?(calls)
        }
    }

    /// No property of this class is changed in place anywhere in this module, so its setter has no check for exclusive access.
    final class HashedSetOwner: KeyValueObject {
        @Observed var members: Set<Member> = []
    }

    final class Observer {
        var sizes: [Int] = []
        lazy var observations = ObservationController(observer: self)
    }

    @Test(
        "Rule 36b: a member that writes the set while it is hashed breaks no memory, and the overwriting is reported",
        arguments: 1...12, [false, true])
    func aMemberThatWritesTheSet(call: Int, isObserved: Bool) {
        Warnings.listen()
        let (box, observer, hook) = (HashedSetOwner(), Observer(), Hook())
        func members(_ count: Int) -> Set<Member> {
            Set((0..<count).map { Member(text: "a text that is too long for its structure \($0)", hook: hook) })
        }
        box.members = members(6)
        if isObserved { observer.observations.observe(box, \.members) { observer, members in observer.sizes.append(members.count) } }
        hook.calls = 0
        var hasWritten = false
        hook.body = { number in
            if number != call { return }
            hook.body = nil
            hasWritten = true
            box.members = []
            box.members = members(2)
        }
        let before = Warnings.count(of: "HashedSetOwner.members")
        box.mutableSetValue(for: \.members).insert(Member(text: "another text that is too long for its structure", hook: hook))
        hook.body = nil
        let present = box.members
        #expect(present.count == 7 || hasWritten)
        #expect(Set(present.map(\.text)).count == present.count)
        #expect(present.contains { $0.text.hasPrefix("another") })
        if !hasWritten { #expect(Warnings.count(of: "HashedSetOwner.members") == before) }
        if isObserved { #expect(observer.sizes.last == present.count) }
    }
}
