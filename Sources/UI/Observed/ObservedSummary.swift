import Basics
import Model
import Profiles

/// A summary of an app's session for the user, as far as its traffic shows it.
struct ObservedSummary {
    let symbol: StateSymbol
    let style: Style
    /// In a word or two, at most eleven columns.
    let word: String
    /// The parts of the sentence, the most important first.
    let parts: [String]
    /// The same without the server's words.
    let briefParts: [String]
    /// Whether the session is over or has not begun, and nothing is wrong with that.
    let isQuiet: Bool

    private init(
        _ symbol: StateSymbol,
        _ style: Style,
        _ word: String,
        _ parts: [String],
        brief briefParts: [String]? = nil,
        isQuiet: Bool = false
    ) {
        self.symbol = symbol
        self.style = style
        self.word = word
        self.parts = parts
        self.briefParts = briefParts ?? parts
        self.isQuiet = isQuiet
    }

    init(of viewModel: ViewModel) {
        switch viewModel.session.observed.status {
        case nil:
            let text =
                viewModel.book.hasTraffic
                ? "the requests that carry no token" : "waiting for the app's first request"
            self.init(.cold, .header, "no token", [text], isQuiet: true)
        case .joined:
            let parts = [
                "in use since before this run", "how long its tokens live was not seen",
            ]
            self.init(.fresh, .headerGood, "in use", parts)
        case .live(let end):
            let left = end.map { DurationFormatter.counting(viewModel.clock.left(until: $0)) }
            let text = left.map { "access token ends in \($0)" }
            let parts = ["live", text ?? "the end of its access token is not known"]
            self.init(.fresh, .headerGood, "live", parts)
        case .renewing(let exchange):
            self.init(
                .renewing,
                .headerBusy,
                "renewing",
                ["the app renews", "request #\(exchange)"]
            )
        case .refused(let exchange):
            let refused = "access token refused in #\(exchange)"
            let logged = viewModel.session.requests.entry(numbered: exchange)?.exchange
            let words = logged.flatMap { RefusalText.answer($0, limit: Self.wordsLimit) } ?? ""
            let since = "the app has not renewed since"
            let parts = [refused + words, since]
            self.init(.blocked, .headerBad, "refused", parts, brief: [refused, since])
        case .expired:
            let parts = ["access token expired", "the app has not renewed it"]
            self.init(.expired, .headerBad, "expired", parts)
        case .ended(let end):
            let style: Style = end.isWanted ? .header : .headerBad
            let parts = ["ended", Self.text(end)]
            self.init(.signedOut, style, "ended", parts, isQuiet: end.isWanted)
        }
    }

    /// The most characters of the server's words in the header.
    private static let wordsLimit = 40

    static func text(_ end: ObservedEnd) -> String {
        switch end {
        case .logout: "the app logged out"
        case .refreshRefused: "the backend refused its refresh token"
        case .reuseDetected:
            "a spent refresh token was used again, and its newest tokens are refused since"
        case .replaced: "its client logged in again"
        case .expired: "the last of its tokens has expired"
        case .silent: "nothing was heard of it for long"
        }
    }
}

extension SessionBook {
    /// Whether an app was seen to have a session.
    var hasSession: Bool { ids.contains { self[$0].observed.status != nil } }

    /// Whether an app was seen to send anything.
    var hasTraffic: Bool {
        !findings.isEmpty || ids.contains { id in !self[id].requests.isEmpty }
    }
}

extension ObservedStatus {
    /// When its access token ends, if it is live and that is known.
    var liveUntil: Instant? {
        if case .live(let end) = self { end } else { nil }
    }
}

extension SessionSnapshot {
    /// The first program that used the session.
    var clientName: String? {
        observed.clients.first?.shortName
    }
}

extension ObservedClient {
    /// Its name, its process, or the beginning of its `User-Agent`.
    var shortName: String? {
        if let name = name ?? process?.description { return name.visibleInOneLine }
        return agentName
    }

    /// The beginning of its `User-Agent`.
    private var agentName: String? {
        userAgent.map { String($0.prefix { $0 != "/" && $0 != " " }).visibleInOneLine }
    }

    /// Everything by which a user may look for it.
    var names: [String] { [shortName, agentName].compactMap(\.self) }
}

/// The name of an app's session in the strip: `2 ada · curl`.
enum ObservedName {
    static func text(_ id: SessionID, _ session: SessionSnapshot) -> String {
        let user = session.generations.last?.pair.statements.user
        let who = [user?.visibleInOneLine, session.clientName].compactMap(\.self)
        guard !who.isEmpty else {
            return session.observed.status == nil ? "\(id) · no session" : id.description
        }
        return "\(id) \(who.joined(separator: " · "))"
    }
}
