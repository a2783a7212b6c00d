import SafeKVO

#if TWO_MODULES
    import Models
#endif

@MainActor private final class Bar {
    lazy var observations = ObservationController(observer: self)
}

/// A property that threads share, observed at home and on any thread.
@MainActor func atomic() {
    let (download, bar) = (Download(), Bar())
    bar.observations.observe(download, \.progress) { _, progress in print("  at home", progress) }
    bar.observations.observe(download, \.progress, tag: "any", on: .anyThread { _, progress in print("  anywhere", progress) })
    bar.observations.observe(
        download, \.progress, options: [.old, .new], tag: "change",
        on: .anyThread { _, _, change in
            print("  anywhere", text(change))
        })
    print("set")
    download.progress = 1
    print("update")
    download.$progress.update { $0 += 9 }
    print("unobserve")
    bar.observations.unobserve(download)
    download.progress = 2
}
