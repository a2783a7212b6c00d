import Testing

/// Tests of what the library assumes of Swift's compiler and runtime although Swift does not document it, one test for each assumption.
///
/// The tests do not use the library. They do what the library does, with as little code as possible, so that a failure names the assumption
/// that a new toolchain breaks. The article "How it works" lists the assumptions.
///
/// The tests run one after the other. If the process crashes, the test that started last is the one that failed.
@Suite("What the library assumes of the compiler and the runtime", .serialized)
struct AssumptionTests {}

extension Trait where Self == Comment {
    /// Prints, if the test fails, which files of `Sources` rely on the assumption, and what would replace it.
    static func reliedOn(by files: String, instead replacement: String) -> Self {
        "Relied on by \(files). What would replace it: \(replacement)."
    }
}
