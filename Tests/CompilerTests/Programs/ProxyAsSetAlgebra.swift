// error: global function 'insertOne(into:)' requires that 'MutableSetValue<Album, Int>' conform to 'SetAlgebra'
import SafeKVO

final class Album: KeyValueObject { @Observed var tags: Set<Int> = [] }

func insertOne<S: SetAlgebra<Int>>(into members: inout S) { members.insert(1) }

func program(_ album: Album) {
    var tags = album.mutableSetValue(for: \.tags)
    #if LEGAL
        tags.change { insertOne(into: &$0) }
        tags = album.mutableSetValue(for: \.tags)
    #else
        insertOne(into: &tags)
    #endif
}
