package import Lifecycle
import Timekeeping

/// What a person is told of an app's session, as far as its traffic shows it.
struct ObservedSummary {
    let symbol: StateSymbol
    let style: Style
    /// In a word or two, at most eleven columns.
    let word: String
    /// The parts of the sentence, the most important first.
    let parts: [String]
    /// Whether the session is over or has not begun, and nothing is wrong with that.
    let isQuiet: Bool

    init(of scene: Scene) {
        let session = scene.session
        switch session.observed.standing {
        case nil:
            symbol = .cold
            style = .header
            word = "no token"
            parts =
                session.requests.isEmpty
                ? ["waiting for the app's first request"] : ["requests that carry no token"]
            isQuiet = true
        case .joined:
            symbol = .fresh
            style = .headerGood
            word = "under way"
            parts = ["under way since before this run", "how long its tokens live was not seen"]
            isQuiet = false
        case .live(let end):
            let left = end.map { scene.clock.left(until: $0) }
            symbol = .fresh
            style = .headerGood
            word = "live"
            parts = [
                "live",
                left.map { "access token ends in \(DurationFormatter.counting($0))" }
                    ?? "the end of its access token is not known",
            ]
            isQuiet = false
        case .renewing(let exchange):
            symbol = .renewing
            style = .headerBusy
            word = "renewing"
            parts = ["the app renews", "request #\(exchange)"]
            isQuiet = false
        case .refused(let exchange):
            symbol = .blocked
            style = .headerBad
            word = "refused"
            parts = ["access token refused in #\(exchange)", "the app has not renewed since"]
            isQuiet = false
        case .expired:
            symbol = .offline
            style = .headerBad
            word = "expired"
            parts = ["access token expired", "the app has not renewed it"]
            isQuiet = false
        case .ended(let end):
            symbol = .signedOut
            style = Self.isWanted(end) ? .header : .headerBad
            word = "ended"
            parts = ["ended", Self.text(end)]
            isQuiet = Self.isWanted(end)
        }
    }

    static func text(_ end: ObservedEnd) -> String {
        switch end {
        case .logout: "the app logged out"
        case .refreshRefused: "the backend refused its newest refresh token"
        case .reuseDetected:
            "a spent refresh token was used again, and its newest tokens are refused since"
        case .replaced: "its client logged in again"
        case .expired: "the last of its tokens has expired"
        case .silent: "nothing was heard of it for long"
        }
    }

    private static func isWanted(_ end: ObservedEnd) -> Bool {
        switch end {
        case .logout, .replaced, .silent: true
        case .refreshRefused, .reuseDetected, .expired: false
        }
    }
}

extension ObservedStanding {
    /// When its access token ends, if it is live and that is known.
    var liveUntil: Instant? {
        if case .live(let end) = self { end } else { nil }
    }
}

extension SessionSnapshot {
    /// The first program that used the session: its name, or the beginning of its `User-Agent`.
    package var clientName: String? {
        guard let client = observed.clients.first else { return nil }
        if let name = client.name { return name.visibleInOneLine }
        return client.userAgent.map {
            String($0.prefix { $0 != "/" && $0 != " " }).visibleInOneLine
        }
    }
}

/// The name of an app's session in the strip: `2 ada · curl`.
enum ObservedName {
    static func text(_ id: SessionID, _ session: SessionSnapshot) -> String {
        let pair = session.generations.last?.pair
        let user = pair?.displayName ?? pair?.subject
        let who = [user?.visibleInOneLine, session.clientName].compactMap(\.self)
        guard !who.isEmpty else { return id.description }
        return "\(id) \(who.joined(separator: " · "))"
    }
}
