#if SAFEKVO_PLAIN_LIST

    /// Nothing is read without a reference in the plain list, so what is unlinked may go at once.
    struct PlainLimbo {
        func retire(_ info: Unretained<AnyObject>, _ pins: borrowing PlainPins) -> Reclaimed { .one(info) }

        func collect(_ pins: borrowing PlainPins) -> Reclaimed { .several([]) }
    }

#endif
