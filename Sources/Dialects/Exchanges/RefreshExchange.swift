/// How a refresh token becomes the next pair, and which answers end the session.
struct RefreshExchange: Sendable, Hashable {
    var request: RequestShape
    var place: TokenLocation
    var reading: TokenParser
    /// Any of them ends the session.
    var terminal: [ResponseRule]
    /// Any of them says that the request is not understood, whatever its status.
    var clientFaults: [ResponseRule] = []
    /// Whether a token is spent by its use even where the answer brings no other.
    var isOneTime = false
}
