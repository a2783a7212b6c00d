extension DurationProtocol {
    /// The duration, or a century if it is a longer `Duration`.
    ///
    /// A clock adds it to the present time and counts the nanoseconds, for which the system has 292 years. A type of durations of the program's
    /// own is left as it is: nobody but its clock knows how long they are.
    var atMostACentury: Self {
        guard let duration = self as? Duration, let century = Duration.century as? Self else { return self }
        return duration > .century ? century : self
    }
}

extension Duration {
    fileprivate static var century: Duration { .seconds(100 * 365 * 86_400) }
}
