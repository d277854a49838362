package import Lifecycle
import Timekeeping

/// What came of a request: the long way and the short way to say it.
package enum FollowUpText {
    package static func ways(_ followUp: FollowUp, clock: SceneClock) -> [Line] {
        switch followUp {
        case .loggedIn:
            return [Line("gen 1 issued: logged in"), Line("gen 1 issued")]
        case .issued(let generation, let rotated):
            let issued = generation.map { "gen \($0) issued" } ?? "issued"
            let refresh = rotated ? "refresh token rotated" : "refresh token unchanged"
            let short = rotated ? "rotated" : "unchanged"
            return [
                Line("\(issued), \(refresh)"), Line("\(issued), refresh \(short)"),
                Line("\(issued), \(short)"), Line(issued),
            ]
        case .failed(let failure, let nextAt):
            let why = FailureText.name(failure)
            let again = nextAt.map { "again at \(clock.when($0))" }
            let text = [why, again].compactMap(\.self).joined(separator: ", ")
            let brief = why == "backend unavailable" ? "unavailable" : why
            let short = [brief, again].compactMap(\.self).joined(separator: ", ")
            return [text, short, why, brief].map { Line($0, .warning) }
        case .ends(let reason, let message):
            let short = ReasonText.short(reason)
            let quoted = message.map(RefusalText.quoted)
            let said = quoted.map { ["refused: \($0), the session ends", "refused: \($0)", $0] }
            return (said ?? []).map { Line($0, .bad) } + [
                Line("refused: the session ends, \(short)", .bad),
                Line("refused: the session ends", .bad), Line("ends the session", .bad),
            ]
        case .tokenRefused(let issued, let repeatedAs):
            return tokenRefused(issued: issued, repeatedAs: repeatedAs)
        case .repeats(let number):
            return [Line("repeats #\(number)", .dim)]
        }
    }

    private static func tokenRefused(issued: Int?, repeatedAs: Int?) -> [Line] {
        let pair = issued.map { "gen \($0) issued" }
        switch (pair, repeatedAs) {
        case (nil, nil):
            return [Line("token refused", .warning)]
        case (let pair?, nil):
            return [Line("refused: \(pair)", .warning), Line(pair, .warning)]
        case (let pair, let number?):
            let text = pair.map { "\($0), " } ?? ""
            return [
                Line("refused: \(text)sent again as #\(number)", .warning),
                Line("refused: \(text)again as #\(number)", .warning),
                Line("\(text)again as #\(number)", .warning),
                Line("again as #\(number)", .warning),
            ]
        }
    }
}
