/// Measures what needs no other process, on the code of the program, and prints a row for each
/// figure: what it is, the figure, and what the machine allows, with tabs between them.
@main
enum Main {
    static func main() async throws {
        let time = Stopwatch()
        measureParsers(time)
        measureEvents(time)
        try await measureVault(time)
        // The last one, since it takes the standard streams.
        try measureFrames(time)
    }
}
