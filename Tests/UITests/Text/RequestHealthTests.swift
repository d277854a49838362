import Basics
import Testing

@testable import Model
@testable import Profiles
@testable import UI

/// The header says what the requests and the feed meet with, whatever the state of the tokens.
@Suite("Text: the health of requests and of the feed")
struct RequestHealthTests {
    private static func header(_ script: EventScript, _ columns: Int = 120, _ rows: Int = 40)
        -> String
    {
        var state = DashboardState(script)
        let screen = state.screen(columns, rows, script.now).text
        let lines = screen.split(separator: "\n", omittingEmptySubsequences: false).dropFirst()
        return lines.prefix { !$0.hasPrefix("╭") && !$0.contains("1 Tokens") }
            .map { $0.split(separator: " ").joined(separator: " ") }
            .joined(separator: " ")
    }

    private static func style(_ script: EventScript) -> Style {
        let state = DashboardState(script)
        return StateSummary(of: state.viewModel(at: script.now)).style
    }

    private static func answering(
        _ answers: [(status: Int, acceptance: TokenAcceptance?, words: String?)]
    ) -> EventScript {
        var script = EventScript.ordinary()
        for answer in answers {
            script.wait(1)
            script.request(
                status: answer.status,
                acceptance: answer.acceptance,
                serverWords: answer.words
            )
        }
        return script
    }

    @Test(
        "tokens that are refused before their end again and again are said, one is not",
        arguments: 1...3,
        [false, true]
    )
    func early(tokens: Int, isRepeated: Bool) {
        var script = EventScript()
        script.logIn()
        func issue() {
            script.generation += 1
            script.issue(.refresh, access: Expiry(seconds: 60, source: .lifetime))
        }
        for _ in 1...tokens {
            issue()
            script.wait(3)
            script.request(acceptance: .accepted)
            script.wait(3)
            script.request(status: 403, acceptance: .refused, serverWords: "token_expired")
            guard isRepeated else { continue }
            issue()
            script.request(retryOf: script.requests, acceptance: .accepted)
        }
        if !isRepeated { issue() }
        // What the server says of it is there once, in either form.
        let header = Self.header(script)
        let text = "\(tokens) tokens were refused before their end, the last at 5 s of 1 m"
        #expect(header.contains(text) == (tokens > 1), "\(header)")
        let quotations = header.ranges(of: "403 \"token_expired\"").count
        #expect(quotations == (tokens > 1 ? 1 : 0) || !isRepeated, "\(header)")
    }

    @Test(
        "a renewal that has worked, and is answered with the same 4xx, is most likely about the token",
        arguments: [
            (RefreshFailure.Cause.notUnderstood(status: 400, detail: "invalid_request"), true),
            (.unavailable(status: 401, detail: "no such grant"), true),
            (.notUnderstood(status: 401, detail: "Client authentication failed"), true),
            (.notUnderstood(status: 404, detail: "not found"), false),
        ]
    )
    func doubtfulToken(cause: RefreshFailure.Cause, isAboutToken: Bool) {
        var script = EventScript.ordinary()
        script.renew()
        for attempt in 1...3 {
            script.failRenewal(RefreshFailure(cause), attempt: attempt, nextIn: 9)
        }
        script.add(ProtocolError(RefreshFailure(cause)))
        let header = Self.header(script)
        #expect(header.contains("worked at 14:0"), "\(header)")
        let advice = "most likely the refresh token, or the client, is no longer accepted: log in"
        #expect(header.contains(advice) == isAboutToken, "\(header)")
    }

    @Test("a refused request is quoted, with since when, how many, and the last good one")
    func refused() {
        let script = Self.answering([
            (200, .accepted, nil), (403, .undecided, "jwt expired"),
            (403, .undecided, "jwt expired"), (403, .undecided, "jwt expired"),
        ])
        let header = Self.header(script)
        #expect(header.contains("✗ requests refused since 14:0"))
        #expect(header.contains(#", 3 of 3: 403 "jwt expired"; last good 14:0"#))
        #expect(Self.style(script) == .headerWarning)
        for (columns, rows) in [(80, 24), (60, 16)] {
            #expect(Self.header(script, columns, rows).contains("requests refused since"))
        }
    }

    @Test(
        "each kind of failure has its verb",
        arguments: [
            (500, TokenAcceptance.undecided, "db timeout", #"requests failing since"#),
            (302, .undecided, "to https://sso.example/login", "302 to https://sso.example/login"),
            (429, .undecided, "slow down", "requests held off since"),
            (200, .refused, "Not authenticated", #"requests refused since"#),
            (200, .undecided, "Sign in", "requests not answered as asked for since"),
        ]
    )
    func kinds(status: Int, acceptance: TokenAcceptance, words: String, text: String) {
        let script = Self.answering(Array(repeating: (status, acceptance, words), count: 2))
        #expect(Self.header(script).contains(text))
        #expect(Self.header(script).contains(words))
    }

    @Test("a failure among successes is in the header while it lasts, and one alone is not")
    func twin() {
        let one = Self.answering([(500, .undecided, "x"), (200, .accepted, nil)])
        #expect(!Self.header(one).contains("request"))
        #expect(Self.style(one) == .headerGood)
        let some = Self.answering([
            (500, .undecided, "x"), (200, .accepted, nil), (500, .undecided, "x"),
            (200, .accepted, nil),
        ])
        #expect(Self.header(some).contains("⚠ requests failing since"))
        #expect(Self.header(some).contains("2 of 4"))
    }

    @Test("a token that is refused and accepted in turn is named as such")
    func mixed() {
        let pair: [(Int, TokenAcceptance?, String?)] = [
            (200, .accepted, nil), (401, .refused, "unknown token"),
        ]
        let header = Self.header(Self.answering(pair + pair + pair))
        #expect(header.contains("the same token is accepted and refused"))
    }

    @Test(
        "the cause that the requests and renewals show is in the header, and in that of no sound twin",
        arguments: [
            (
                EventScript.refusedWhenNew(), EventScript.acceptedWhenNew(),
                "gen 3 refused when 1 s old, gen 1 was accepted: not its age; perhaps its key or audience"
            ),
            (
                .refusedWhenNew(), .acceptedWhenNew(),
                #"requests refused since 14:00:13, 2 of 2: 401 "no matching key"; last good 14:00:04"#
            ),
            (
                .stepUp(error: "insufficient_user_authentication"), .stepUp(error: nil),
                "a new login is asked for, no renewal helps: press o"
            ),
            (
                .stepUp(error: "insufficient_scope", demanding: "scope=files.write"),
                .stepUp(error: nil),
                "more scopes are asked for (scope=files.write), no renewal helps"
            ),
            (
                .stepUp(error: "insufficient_claims"), .stepUp(error: nil),
                "other claims are asked for, no renewal helps"
            ),
            (
                .refusedAtFirst(seconds: 2.6), .refusedAtFirst(seconds: 0),
                "tokens are refused until 3 s after their issue, then accepted: perhaps servers learn"
            ),
            (
                .lifetimes(of: 20_000, refusedAt: 21), .lifetimes(of: 60, refusedAt: 21),
                "the last at 20 s of 5 h 33 m; expires_in is probably in milliseconds"
            ),
            (
                .anotherUser(isUsed: false), .ordinary(),
                "a renewal brought another user's token: bob, not ada; it is not used"
            ),
            (
                .renewal(
                    answeredWith: [WireHeader("Age", "14"), WireHeader("X-Cache", "HIT")],
                    isNew: false
                ),
                .renewal(answeredWith: [WireHeader("X-Cache", "MISS")], isNew: true),
                "the renewal's answer came from a cache (Age: 14, X-Cache: HIT): the same token"
            ),
            (
                .endedWith("signed in on another device"), .ended(.revoked),
                #"the backend refused the refresh token: "signed in on another device""#
            ),
        ]
    )
    func causes(script: EventScript, twin: EventScript, text: String) {
        #expect(Self.header(script).contains(text), "\(Self.header(script))")
        #expect(!Self.header(twin).contains(text), "\(Self.header(twin))")
    }

    @Test(
        "what the server said at the end has a row of its own where the sentence has no room for it",
        arguments: [(120, 40), (80, 24), (60, 16)]
    )
    func words(columns: Int, rows: Int) {
        let words = "You have been signed in on another device"
        let header = Self.header(.endedWith(words), columns, rows)
        #expect(header.ranges(of: "\"\(words)\"").count == 1, "\(header)")
    }

    @Test("messages that are missing within a socket are counted, and named in the history")
    func gap() {
        var script = EventScript.ordinary()
        script.add(FeedMessagesMissing(socket: script.sockets, after: 3, before: 6))
        var state = DashboardState(script)
        let screen = state.screen(120, 40, script.now).text
        #expect(screen.contains(" 2 lost "))
        #expect(screen.contains("✗ socket \(script.sockets): 2 messages missing, 4 to 5"))
    }

    @Test("what followed a refused request is what the server said")
    func followUp() {
        let script = Self.answering([(403, .undecided, "jwt expired")])
        var state = DashboardState(script)
        let screen = state.screen(120, 40, script.now).text
        #expect(screen.contains(#"every 5 s     "jwt expired""#))
        #expect(screen.contains(#"answered 403: "jwt expired""#))
    }

    @Test("a feed that ends again and again is in the header, with the server's words")
    func feed() {
        var script = EventScript.ordinary()
        #expect(!Self.header(script).contains("feed"))
        for _ in 0..<3 {
            script.wait(1)
            script.add(
                FeedClosed(socket: script.sockets, code: 4401, by: .peer, reason: "bye")
            )
            script.open()
        }
        let header = Self.header(script)
        #expect(header.contains("⚠ feed ended 3 times since"))
        #expect(header.contains(#"4401 token refused, "bye""#))
        #expect(Self.style(script) == .headerWarning)
        var state = DashboardState(script)
        #expect(state.screen(120, 40, script.now).text.contains("⚠ feed: socket"))
    }

    @Test("a feed that has never brought a message is neither green nor a problem")
    func silentFeed() {
        var script = EventScript()
        script.capabilities()
        script.logIn(accessLife: 600)
        script.open()
        script.wait(10)
        #expect(Self.style(script) == .headerGood)
        script.wait(30)
        #expect(Self.header(script).contains("no message since the feed opened"))
        #expect(Self.style(script) == .header)
        script.message()
        #expect(Self.style(script) == .headerGood)
    }
}
