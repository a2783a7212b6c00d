/// One thing that a centre of notifications can get right or wrong, tried on two centres.
struct Check {
    let name: String
    let foundation: () -> String
    let safeKVO: @MainActor () -> String
}
