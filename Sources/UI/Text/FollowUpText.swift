import Basics
import Model

/// The result of a request: the long way and the short way to say it.
enum FollowUpText {
    /// - Parameters:
    ///   - followUp: Its result.
    ///   - request: Of which.
    ///   - viewModel: With the clock, and the names of generations.
    /// - Returns: The longest way first.
    static func ways(
        _ followUp: FollowUp,
        of request: LoggedExchange,
        _ viewModel: ViewModel
    ) -> [Line] {
        func name(_ generation: Int) -> String? {
            viewModel.generations.name(generation, login: request.login)
        }
        let clock = viewModel.clock
        switch followUp {
        case .loggedIn(let login):
            let issued = "\(viewModel.generations.name(1, login: login) ?? "") issued"
            return [Line("\(issued): logged in"), Line(issued)]
        case .issued(let generation, let rotated):
            let issued = generation.flatMap(name).map { "\($0) issued" } ?? "issued"
            let refresh = rotated ? "refresh token rotated" : "refresh token unchanged"
            let short = rotated ? "rotated" : "unchanged"
            return [
                Line("\(issued), \(refresh)"), Line("\(issued), refresh \(short)"),
                Line("\(issued), \(short)"), Line(issued),
            ]
        case .setAside:
            return [
                Line("accepted, the other one's tokens are used", .dim),
                Line("the other one's are used", .dim), Line("not used", .dim),
            ]
        case .failed(let failure, let nextAt):
            let why = FailureText.name(failure)
            let again = nextAt.map { "again at \(clock.when($0))" }
            let text = [why, again].compactMap(\.self).joined(separator: ", ")
            let brief =
                switch why {
                case "backend unavailable": "unavailable"
                case MissingAnswerText.unusable: MissingAnswerText.short
                default: why
                }
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
        case .tokenRefused(let issued, let repeatedAs, let message):
            return tokenRefused(
                issued: issued.flatMap(name),
                repeatedAs: repeatedAs,
                message.map { RefusalText.said($0, in: request.exchange) }
            )
        case .said(let message):
            return [Line(RefusalText.said(message, in: request.exchange), .warning)]
        case .undelivered(let issued):
            let gone = [
                Line("the app had closed its connection", .bad), Line("the app was gone", .bad),
            ]
            let pair = issued.flatMap(name).map { "\($0) did not reach the app" }
            return pair.map { [Line("\($0): it had closed its connection", .bad), Line($0, .bad)] }
                ?? gone
        case .repeats(let number):
            return [Line("repeats #\(number)", .dim)]
        }
    }

    private static func tokenRefused(
        issued: String?,
        repeatedAs: Int?,
        _ message: String?
    ) -> [Line] {
        let pair = issued.map { "\($0) issued" }
        switch (pair, repeatedAs) {
        case (nil, nil):
            let said = message.map { [Line("refused: \($0)", .warning), Line($0, .warning)] }
            return (said ?? []) + [Line("token refused", .warning)]
        case (let pair?, nil):
            let said = message.map { [Line("refused: \($0), \(pair)", .warning)] } ?? []
            return said + [Line("refused: \(pair)", .warning), Line(pair, .warning)]
        case (let pair, let number?):
            let text = pair.map { "\($0), " } ?? ""
            let said = message.map { words in
                let long = Line("refused: \(words), \(text)sent again as #\(number)", .warning)
                let short = Line("\(words), again as #\(number)", .warning)
                return pair == nil ? [long, short] : [long]
            }
            return (said ?? []) + [
                Line("refused: \(text)sent again as #\(number)", .warning),
                Line("refused: \(text)again as #\(number)", .warning),
                Line("\(text)again as #\(number)", .warning),
                Line("again as #\(number)", .warning),
            ]
        }
    }
}
