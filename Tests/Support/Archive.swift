/// A global actor that is not the main one.
@globalActor package actor Archive {
    package static let shared = Archive()
}
