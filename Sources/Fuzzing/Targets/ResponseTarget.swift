import FoundationEssentials

@testable import Basics
@testable import Profiles

/// A server's response to each of the client's requests, in every built-in dialect.
///
/// The input is a line with a dialect's name, and a response in the format of the golden files.
enum ResponseTarget: FuzzTarget {
    static let name = "answers"

    /// The size of the largest body that is parsed.
    private static let longestBody = WireResponse.bodyLimit

    static func read(_ bytes: [UInt8]) {
        var rest = bytes[...]
        guard let dialect = Dialect.named(by: &rest) else { return }
        let message = MessageText(rest)
        let response = WireResponse(
            status: message.status,
            headers: message.headers,
            body: message.body
        )
        let tokens = IssuedCheck.tokens(in: response, dialect)
        check(dialect.readLogin(response), to: response, hiding: tokens)
        check(dialect.readRefresh(response), to: response, hiding: tokens)
        check(dialect.readProtected(response), to: response)
        check(dialect.readSessions(response))
        check(dialect.readFeedMessage(String(decoding: response.body, as: UTF8.self)))
        let logout = dialect.readLogout(response)
        if case .acknowledged(let status) = logout { require(status < 405, "\(status) is no end") }
        require(!"\(response)".contains("\n"), "an answer is shown in one line")
        refuseTooLarge(response, dialect)
    }

    private static func check(
        _ answer: LoginResponse,
        to response: WireResponse,
        hiding tokens: [String]
    ) {
        switch answer {
        case .issued(let tokens):
            IssuedCheck.check(tokens, in: response)
            IssuedCheck.checkSecrecy(tokens)
        case .rejected(let status, let message):
            require(status == response.status && !isNeverVerdict(status), "\(status) refuses")
            MessageCheck.check(message, hiding: tokens)
        case .authorizationPending, .authorizationEnded(.expired): break
        case .authorizationEnded(.denied(let description)):
            MessageCheck.check(description, hiding: tokens)
        case .failed(let failure): MessageCheck.check(failure, to: response, hiding: tokens)
        }
    }

    private static func check(
        _ answer: RefreshResponse,
        to response: WireResponse,
        hiding tokens: [String]
    ) {
        switch answer {
        case .issued(let tokens): IssuedCheck.check(tokens, in: response)
        case .refreshTokenOnly(let successor):
            MessageCheck.check(successor.message, hiding: tokens)
            MessageCheck.check(successor.retryAfter)
        case .refused(let refusal):
            require(!isNeverVerdict(refusal.status), "\(refusal.status) ends a session")
            MessageCheck.check(refusal.message, hiding: tokens)
        case .failed(let failure): MessageCheck.check(failure, to: response, hiding: tokens)
        }
    }

    private static func check(_ answer: ProtectedResponse, to response: WireResponse) {
        switch answer {
        case .accepted: require(response.status < 429, "\(response.status) accepts")
        case .listed(let sessions):
            require(response.status < 429, "\(response.status) lists sessions")
            check(sessions)
        case .tokenRejected:
            require(!isNeverVerdict(response.status), "\(response.status) rejects a token")
        case .inconclusive: break
        }
    }

    private static func check(_ sessions: [ListedSession]?) {
        guard let sessions else { return }
        require(sessions.count <= Dialect.sessionsLimit, "no more than the limit")
        for session in sessions {
            requireOneLine(session.id, limit: 200)
            require(!session.id.isEmpty, "a session has an id")
            for time in [session.startedAt, session.lastUsedAt] {
                require(time?.isFinite ?? true, "a time is one")
            }
            if let name = session.name { requireOneLine(name, limit: 200) }
        }
    }

    private static func check(_ message: FeedMessage) {
        require(message.excerpt.count <= 512, "an excerpt is short")
        require((message.id?.utf8.count ?? 0) <= 256, "an id is short")
        if let type = message.type { requireOneLine(type, limit: 200) }
    }

    /// Checks that trailing spaces affect nothing but the size limit.
    private static func refuseTooLarge(_ response: WireResponse, _ dialect: Dialect) {
        guard response.body.last == UInt8(ascii: "~") else { return }
        var response = response
        response.body[response.body.count - 1] = 0x20
        response.body += Array(repeating: 0x20, count: longestBody + 3)
        if case .issued = dialect.readLogin(response) { require(false, "a huge body is read") }
        if case .issued = dialect.readRefresh(response) { require(false, "a huge body is read") }
        require(dialect.readSessions(response) == nil, "a huge list is read")
    }

    /// Returns whether the status says that the backend is temporarily unable to decide.
    private static func isNeverVerdict(_ status: Int) -> Bool {
        status == 429 || status >= 500
    }
}
