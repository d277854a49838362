/// How a refresh token becomes the next pair, and which answers end the session.
struct RefreshExchange: Sendable, Hashable {
    var request: RequestShape
    var place: TokenPlace
    var reading: TokenReading
    /// Any of them ends the session.
    var terminal: [AnswerRule]
    /// Any of them says that we asked wrongly, whatever its status.
    var clientFaults: [AnswerRule] = []
    /// Whether a token is spent by its use even where the answer brings no other.
    var isOneTime = false
}
