import Model
import Profiles
import Testing

@testable import Basics
@testable import Observer

@Suite("A redirect to a page for signing in")
struct RedirectedRequestTests {
    /// Returns the result of a request that is redirected.
    private static func outcome(
        _ location: String,
        path: String = "/items",
        method: String = "GET",
        status: Int = 302,
        headers: [WireHeader] = [WireHeader("Authorization", "Bearer \(TrafficScript.access(1))")]
    ) -> ObservedExchange? {
        var script = TrafficScript()
        script.logIn()
        script.call(1)
        script.wait(100)
        let call = script.send(method, path, headers: headers)
        script.finish(call, status, headers: [WireHeader("Location", location)])
        return ObservationRun(script).machine.traffic.exchange(call)
    }

    @Test(
        "refuses the token of a program's request, likely",
        arguments: [
            "/login", "/login?next=%2Fitems", "/users/sign_in", "https://login.example.com/start",
            "https://idp.example.com/oauth2/authorize?client_id=app", "/accounts/login/",
            "https://sso.example.com/",
        ]
    )
    func refused(location: String) {
        let exchange = Self.outcome(location)
        #expect(exchange?.outcome == .tokenRefused && exchange?.isRefusalInferred == true)
    }

    @Test(
        "refuses none if it leads elsewhere",
        arguments: [
            "/", "/items/", "/welcome", "https://cdn.example.com/items", "/blog/authors",
            "https://api.example.com/items/1",
        ]
    )
    func elsewhere(location: String) {
        #expect(Self.outcome(location)?.outcome == .accepted)
    }

    @Test("is no acceptance where it is followed, unless that brings another session")
    func followed() {
        let cookie = WireHeader("Cookie", "sid=a-session-on-the-server")
        let asked = WireHeader("X-Requested-With", "XMLHttpRequest")
        func outcome(then target: String, _ cookie: WireHeader) -> ObservedExchange.Outcome? {
            var script = TrafficScript()
            script.logIn(cookies: [WireHeader("Set-Cookie", "\(cookie.value); HttpOnly")])
            script.finish(
                script.send("GET", "/items", headers: [cookie, asked]),
                200,
                ["items": []]
            )
            script.wait(100)
            for location in ["/signin", "/signin/"] {
                let call = script.send(
                    "GET",
                    location == "/signin" ? "/items" : "/signin",
                    headers: [cookie, asked]
                )
                script.finish(call, 302, headers: [WireHeader("Location", location)])
            }
            let page = script.send("GET", target, headers: [cookie, asked])
            script.finish(page, 200, headers: [WireHeader("Content-Type", "text/html")])
            return ObservationRun(script).machine.traffic.exchange(page)?.outcome
        }
        #expect(outcome(then: "/signin/", cookie) == .inconclusive)
        #expect(outcome(then: "/other", cookie) == .accepted)
    }

    @Test("refuses none of a page, of a logout, or of one that is moved")
    func twins() {
        let bearer = WireHeader("Authorization", "Bearer \(TrafficScript.access(1))")
        let page = WireHeader("Sec-Fetch-Mode", "navigate")
        let html = WireHeader("Accept", "text/html,*/*")
        let cookie = WireHeader("Cookie", "access_token=\(TrafficScript.access(1))")
        #expect(Self.outcome("/login", headers: [bearer, page])?.outcome == .accepted)
        #expect(Self.outcome("/login", headers: [bearer, html])?.outcome == .accepted)
        #expect(Self.outcome("/login", headers: [cookie])?.outcome == .accepted)
        #expect(Self.outcome("/login/", path: "/login")?.outcome == .accepted)
        #expect(Self.outcome("/login", path: "/logout")?.outcome == .accepted)
        #expect(Self.outcome("/login", method: "POST", status: 301)?.outcome == .accepted)
        #expect(Self.outcome("/login", headers: [])?.outcome == .accepted)
        let fetch = WireHeader("Sec-Fetch-Mode", "cors")
        #expect(Self.outcome("/login", headers: [cookie, fetch])?.outcome == .tokenRefused)
    }
}
