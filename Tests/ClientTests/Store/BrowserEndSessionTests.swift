import Basics
import Model
import Synchronization
import Testing

@testable import Client
@testable import Profiles

@Suite("The end of the provider's session in the browser")
struct BrowserEndSessionTests {
    /// A browser that makes these requests, until a page is the last one.
    private final class Visits: RedirectReceiver {
        private let targets: [String]
        private let failure: AuthorizationFailure?
        let pages = Mutex<[RedirectPage]>([])

        init(_ targets: [String], failure: AuthorizationFailure? = nil) {
            self.targets = targets
            self.failure = failure
        }

        func receive(
            on port: Int?,
            begin: @Sendable (Int) async -> (@Sendable (String) -> RedirectPage)
        ) async throws(AuthorizationFailure) {
            if let failure { throw failure }
            let answer = await begin(port ?? 4711)
            for target in targets {
                let page = answer(target)
                pages.withLock { $0.append(page) }
                if page.isLast { return }
            }
        }
    }

    /// Every random text is the same.
    private static let random = Base64URL.encode(Array(repeating: 3, count: 32))
    private static let start = "/end-session/\(random)"
    private static let redirect = "/logged-out?state=\(random)"

    private func end(
        _ visits: Visits,
        _ lines: String = ""
    ) async throws -> ProviderSessionEnd {
        let text = """
            extends = "oauth2"
            grant = "authorization_code"
            client_auth = "public"
            client_id = "me"
            logout.end_session.request = "GET /logout"
            \(lines)
            """
        let profile = try Profile(
            ProfileSource(name: "mine", text: text, file: "mine.toml"),
            known: ["oauth2"],
            lookup: { name throws(DialectError) in ProfileSource.builtIn(name) }
        )
        let browser = Browser(
            redirects: visits,
            open: { _ in true },
            randomBytes: { Array(repeating: 3, count: $0) }
        )
        return await browser.endSession(
            of: profile.dialect,
            at: "https://auth.example.com",
            idToken: Secret("one.id.token"),
            prompt: { url, isOpened in
                #expect(isOpened)
                #expect(url == "http://127.0.0.1:4711" + Self.start)
            }
        )
    }

    @Test("the browser is led on once, by a page that names the provider with the id token")
    func led() async throws {
        let visits = Visits(["/favicon.ico", Self.start, Self.start])
        #expect(try await end(visits) == .led)
        let pages = visits.pages.withLock { $0 }
        #expect(pages.map(\.status) == [404, 200])
        let target = "https://auth.example.com/logout?id_token_hint=one.id.token&amp;client_id=me"
        #expect(pages[1].html.contains("content=\"0; url=\(target)\""))
    }

    @Test("with a redirect, only that of this logout says that the session has ended")
    func redirected() async throws {
        let port = "logout.end_session.redirect_port = 4711"
        let visits = Visits([Self.start, Self.start, "/logged-out?state=x", Self.redirect])
        #expect(try await end(visits, port) == .ended)
        #expect(visits.pages.withLock { $0.map(\.status) } == [200, 404, 400, 200])
        #expect(try await end(Visits([Self.start, "/logged-out?state=x"]), port) == .led)
    }

    @Test("an address that nobody opens, and a port in use, are told")
    func none() async throws {
        #expect(try await end(Visits([])) == .notOpened)
        let failure = AuthorizationFailure.notListening(detail: "port 4711: in use")
        #expect(
            try await end(Visits([], failure: failure))
                == .notListening(detail: "port 4711: in use")
        )
    }
}
