import SafeKVO

#if TWO_MODULES
    import Models
#endif

/// A key that is announced by hand is observed directly; key paths over it follow what its getter reports.
func lost() {
    let (shelf, reader) = (Shelf(), Reader())
    reader.watch("summary", shelf.report, \.summary)
    reader.watch("summary.count", shelf.report, \.summary.count)
    reader.watch("report.summary", shelf, \.report.summary)
    reader.watch("report.summary.count", shelf, \.report.summary.count)
    print("write")
    shelf.report.write("!")
    print("rename")
    shelf.report.rename("R")
}

/// With `access(_:)`, each key path over the key is notified.
func lostReported() {
    let (shelf, reader) = (ReportedShelf(), Reader())
    reader.watch("summary", shelf.report, \.summary)
    reader.watch("summary.count", shelf.report, \.summary.count)
    reader.watch("report.summary", shelf, \.report.summary)
    reader.watch("report.summary.count", shelf, \.report.summary.count)
    print("write")
    shelf.report.write("!")
    print("rename")
    shelf.report.rename("R")
}
