// error: type 'Album' does not conform to protocol 'Decodable'
import SafeKVO

final class Album: KeyValueObservable, Codable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var title = ""

    #if LEGAL
        private enum CodingKeys: CodingKey { case title }
    #endif
}
