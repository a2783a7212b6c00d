// error: value of type 'MutableArrayValue<Album, Int>' has no member 'sort'
import SafeKVO

final class Album: KeyValueObject { @Observed var photos: [Int] = [] }

func program(_ album: Album) {
    let photos = album.mutableArrayValue(for: \.photos)
    #if LEGAL
        photos.change { $0.sort() }
    #else
        photos.sort()
    #endif
}
