extension Arguments {
    /// How the command is used, and how to read what it prints.
    public static let help = """
        \(usage)

        With no options, measures everything and prints three tables.

          --only SUBSTRING   only the rows whose name contains it, what they are compared with, and the peers of the same cases
          --rounds N         samples a row; 11 if not given
          --check            ends with status 1 if a budget is missed, or a peer is better, that is not listed with a reason in
                             Thresholds/time.json; says so if something that is listed is well now
          --json FILE        also writes what was measured, and how it compares
          --output FOLDER    also writes results.json and benchmarks.svg there (Tests/Programs/Benchmarks/Output is the place for a calm run)
          --from FILE        measures nothing, but shows what such a JSON file holds against the thresholds of today
          --progress         shows the progress also where the standard error is no terminal, a line every five seconds

        First table: a line for each row. Median and quartiles of the samples; the ratio to another row (a limit, which is the same
        thing written by hand) and the budget, which is a ratio too; the ratio to the best peer in the same case, below 1 if SafeKVO
        is better. Where the unit is ×, more is better.
        Second table: a line for each case, with everybody's medians side by side. A number in brackets stands for 'cannot'; the
        reasons are below.
        At the end: what is missed, known or not.
        """
}
