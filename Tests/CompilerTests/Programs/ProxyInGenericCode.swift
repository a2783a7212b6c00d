// error: global function 'appendOne(to:)' requires that 'MutableArrayValue<Album, Int>' conform to 'RangeReplaceableCollection'
import SafeKVO

final class Album: KeyValueObject { @Observed var photos: [Int] = [] }

func appendOne<C: RangeReplaceableCollection<Int>>(to elements: inout C) {
    var copy = elements
    copy.append(1)
    elements = copy
}

func program(_ album: Album) {
    var photos = album.mutableArrayValue(for: \.photos)
    #if LEGAL
        photos.change { appendOne(to: &$0) }
        photos = album.mutableArrayValue(for: \.photos)
    #else
        appendOne(to: &photos)
    #endif
}
