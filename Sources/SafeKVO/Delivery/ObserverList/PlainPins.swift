#if SAFEKVO_PLAIN_LIST

    /// Nothing is read without a reference in the plain list, so there is nothing to pin.
    struct PlainPins: ~Copyable {
        struct Pin {}

        func pin() -> Pin { Pin() }

        /// Whether nobody can see what has been taken out of sight.
        var areNone: Bool { true }

        func unpin(_ pin: Pin) -> Bool { false }
    }

#endif
