/// A message that is a type: its observers get the value, not a dictionary.
///
/// ```swift
/// struct CoverWanted: Message { let title: String }
///
/// observations.observe(center, for: CoverWanted.self) { library, message in library.load(message.title) }
/// center.post(CoverWanted(title: "Suites"))
/// ```
///
/// Observers of a type hear messages that are posted as that type: of a class hierarchy, the class that the poster's variable has.
public protocol Message {}
