/// Replaces what differs from run to run by placeholders: times, durations, ports, fingerprints and
/// counts of what flows on.
///
/// Durations stay where they are a lifetime as stated: after `of` and `lives`.
enum CaseNormalizer {
    /// - Parameters:
    ///   - text: As it is on the screen.
    ///   - counts: Whether the numbers of generations, requests and tries are left out as well: of
    ///     what goes on while one looks.
    /// - Returns: The text that is the same in each run.
    static func normalize(_ text: String, counts: Bool = false) -> String {
        var text = text
        text = text.replacing(/\/tmp\/authtop-[0-9a-f]{8}/, with: "‹home›")
        text = text.replacing(/(127\.0\.0\.1|localhost|\[::1\]):\d+/) { "\($0.output.1):‹port›" }
        text = text.replacing(/‹[0-9a-f]{8}›/, with: "‹token›")
        text = text.replacing(/\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?/, with: "‹time›")
        text = text.replacing(
            /\b\d\d? (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)( \d{4}\b| \d\d:\d\d\b)?/,
            with: "‹time›"
        )
        text = text.replacing(/\d\d:\d\d:\d\d(\.\d+)?/, with: "‹time›")
        text = durations(text)
        text = text.replacing(/pid \d+/, with: "pid ‹n›")
        text = text.replacing(/process \d+ holds/, with: "process ‹pid› holds")
        text = text.replacing(/#\d+/, with: "#‹n›")
        text = text.replacing(/\d+ messages?/, with: "‹n› messages")
        text = text.replacing(#/ · p50 .*$/#, with: "")
        text = text.replacing(#/ · [0-9.]+ \/s/#, with: "")
        text = text.replacing(#/ · (following|held)$/#, with: "")
        // The sign depends on the fraction of a second at which a server states its whole seconds.
        text = text.replacing(#/at (least|most) [−+]‹span›/#) { "at \($0.output.1) ‹span›" }
        // It is there from the second second of a socket on.
        text = text.replacing(#/ · ping ‹span›/#, with: "")
        text = text.replacing(#/ +(?:<1|\d+)  (gen|–)/#) { "  ‹ms›  \($0.output.1)" }
        text = text.replacing(/\.vault|-[0-9a-f]{16}\.vault/, with: ".vault")
        text = text.replacing(/&since=\d+/, with: "")
        text = text.replacing(/\btry \d+/, with: "try ‹n›")
        // The pause after a failure may end just now.
        text = text.replacing(/(with|waits for) a later request/) {
            "\($0.output.1) a request from ‹time› on"
        }
        // A countdown may end just now.
        text = text.replacing(/\b(renews|next try|try ‹n›|asked again|asking again) now\b/) {
            "\($0.output.1) in ‹span›"
        }
        text = text.replacing(#/messages · [1-9]\d* lost/#, with: "messages · ‹n› lost")
        if counts {
            text = text.replacing(/(generation|gen|socket|number) \d+/) { "\($0.output.1) ‹n›" }
            text = text.replacing(/\d+ (sent|unsent|lost|times)/) { "‹n› \($0.output.1)" }
            text = text.replacing(/\d+ duplicates?/, with: "‹n› duplicates")
            text = text.replacing(/[1-9]\d* (refused|× 5xx)/) { "‹n› \($0.output.1)" }
            text = text.replacing(/×\d+/, with: "×‹n›")
            text = text.replacing(/\d+ tokens were/, with: "‹n› tokens were")
        }
        text = text.replacing(/"(ts|seq|iat|exp)":\d+/) { "\"\($0.output.1)\":‹n›" }
        return text
    }

    private static func durations(_ text: String) -> String {
        let unit = /\b\d+(\.\d+)? (ms|s|m|h|days?|d)\b( \d+ (s|m|h)\b)?/
        var result = ""
        var rest = text[...]
        while let match = rest.firstMatch(of: unit) {
            let before = rest[..<match.range.lowerBound]
            let isLifetime = before.hasSuffix("of ") && !before.hasSuffix("age of ")
            let isStated = isLifetime || before.hasSuffix("lives ")
            result += before + (isStated ? rest[match.range] : "‹span›")
            rest = rest[match.range.upperBound...]
        }
        return result + rest
    }
}
