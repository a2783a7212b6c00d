import SafeKVO

#if TWO_MODULES
    import Models
#endif

/// One setting for each observation and key, at the end of the outermost batch.
func batch() {
    let (rectangle, reader) = (Rectangle(), Reader())
    reader.watch("self", rectangle, \.self, [])
    reader.watch("area", rectangle, \.area)
    reader.watch("width", rectangle, \.width)
    reader.watch("height", rectangle, \.height, [.old, .new, .prior])
    print("begin")
    withBatchedChanges {
        rectangle.width = 2
        withBatchedChanges {
            rectangle.height = 3
            rectangle.width = 4
        }
        print("end")
    }
    print("restored")
    withBatchedChanges {
        rectangle.width = 5
        rectangle.width = 4
        print("end")
    }
}
