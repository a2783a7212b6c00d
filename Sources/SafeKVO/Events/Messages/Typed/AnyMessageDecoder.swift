/// A decoder of messages of a type that only it knows.
class AnyMessageDecoder: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) the one subclass adds constants that are `Sendable`.

    /// Posts what a message says as a message of the decoder's type.
    func decode(_ raw: NamedMessage, for center: MessageCenter) {
        preconditionFailure("A decoder of messages must know their type.")
    }
}
