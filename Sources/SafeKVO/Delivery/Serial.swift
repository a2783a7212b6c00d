/// The number before the first one of registrations and changes, which never wrap around.
#if SAFEKVO_NARROW_COUNTERS
    /// A number that is cut to 32 bits goes back here soon, and the tests notice.
    let firstSerial: UInt64 = (1 << 32) - 3
#else
    let firstSerial: UInt64 = 0
#endif
