/// One observation of a program.
package struct ModelObservation: Sendable {
    /// Its number, under which steps and calls name it.
    package let id: Int
    /// The controller that makes it.
    package let controller: Int
    package let node: Int
    package let key: Key
    package let options: Options
    package let form: Form
    package let removesDuplicates: Bool
    /// Whether the key path is written as one of the base class.
    package let isSpelledByBase: Bool
    package let reaction: Reaction
    /// Which registration it is: one that was removed and made again is another.
    var registration = 0

    package init(
        _ id: Int, _ node: Int, _ key: Key, _ options: Options = [.old, .new], controller: Int = 0, form: Form = .change,
        removesDuplicates: Bool = false, isSpelledByBase: Bool = false, reaction: Reaction = .none
    ) {
        self.id = id
        self.controller = controller
        self.node = node
        self.key = key
        self.options = form == .value ? [.initial, .new] : options
        self.form = form
        self.removesDuplicates = removesDuplicates
        // Of other keys, each spelling is a key of its own (rules 20, 20c).
        self.isSpelledByBase = isSpelledByBase && key.isOfBase && (key.stored != nil || key == .entire)
        self.reaction = form == .value && !reaction.isForValues ? .none : reaction
    }

    /// The same under another number.
    package func numbered(_ id: Int) -> ModelObservation {
        ModelObservation(
            id, node, key, options, controller: controller, form: form, removesDuplicates: removesDuplicates,
            isSpelledByBase: isSpelledByBase, reaction: reaction)
    }

    /// `true` if it needs the value before a change.
    var asksForOld: Bool { form == .change && (options.contains(.old) || removesDuplicates) }

    /// Where the calls of this observation have an order.
    package var ofKey: Call.Sequence { .ofKey(node, key) }
}

extension ModelObservation: CustomStringConvertible {
    package var description: String {
        var text = "o\(id) observes n\(node) \\\(isSpelledByBase ? "Base" : "").\(key) "
        text += form == .value ? "values" : "\(options)"
        if removesDuplicates { text += " removing duplicates" }
        return text + " by c\(controller)\(reaction)"
    }
}
