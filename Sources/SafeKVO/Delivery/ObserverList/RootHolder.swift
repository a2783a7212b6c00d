/// Never made: the place where a comparison of key paths begins.
struct RootHolder<Root> {
    let root: Root
}
