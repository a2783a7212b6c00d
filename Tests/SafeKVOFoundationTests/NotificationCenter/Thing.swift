/// An object that notifications are about.
final class Thing {}
