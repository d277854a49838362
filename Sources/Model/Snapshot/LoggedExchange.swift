package import Basics
import FoundationEssentials

/// An HTTP exchange with what later events made of it.
package struct LoggedExchange: Sendable, Equatable, LogEntry {
    package let number: Int
    package var exchange: Exchange { _read { yield shared.value } }
    /// In the logs of its session and of all.
    private let shared: Shared<Exchange>
    /// The session to which it belongs.
    package let session: SessionID
    /// When it was answered or timed out.
    package let endedAt: Moment
    /// The n-th login of the run, as of the exchange's end.
    package let login: Int
    /// After its token was refused: the generation that was issued next.
    var issuedAfter: Int?
    /// After its token was refused: the request that repeats it.
    var repeatedAs: Int?
    /// The pair that it brought and that was used then.
    var issued: Issued?

    struct Issued: Sendable, Equatable {
        let generation: Int
        let rotated: Bool
    }

    init(exchange: Exchange, session: SessionID, endedAt: Moment, login: Int) {
        number = exchange.id
        shared = Shared(exchange)
        self.session = session
        self.endedAt = endedAt
        self.login = login
    }

    /// When it was sent.
    package var startedAt: Moment {
        Moment(
            now: endedAt.now.advanced(bySeconds: -exchange.seconds),
            wall: endedAt.wall.addingTimeInterval(-exchange.seconds)
        )
    }

    /// Whether the access token was refused: as the answer was read, or since the session repeated
    /// the request because of it.
    package var wasTokenRefused: Bool {
        exchange.purpose == .protected
            && (exchange.tokenAcceptance == .refused || repeatedAs != nil)
    }
}
