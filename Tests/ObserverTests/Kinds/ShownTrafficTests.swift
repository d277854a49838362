import Basics
import Model
import Profiles
import Testing

@testable import Observer
@testable import UI

/// An app's traffic with a mistake, the same without it, and what the dashboard says of the first.
struct ShownTraffic: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Texts that only the mistake has on its screen.
    let words: [String]
    let mistake: @Sendable (inout TrafficScript) -> Void
    let twin: @Sendable (inout TrafficScript) -> Void

    init(
        _ sentence: String,
        says words: String...,
        mistake: @escaping @Sendable (inout TrafficScript) -> Void,
        twin: @escaping @Sendable (inout TrafficScript) -> Void
    ) {
        testDescription = sentence
        self.words = words
        self.mistake = mistake
        self.twin = twin
    }
}

@Suite("Screens: what they say of an app's traffic")
struct ShownTrafficTests {
    /// The first screen of 120 by 40, a second after the last exchange, with no detail open.
    private static func screen(_ script: TrafficScript) -> String {
        let run = ObservationRun(script, after: 1)
        let route = ProxyRoutes.Route(
            address: "http://127.0.0.1:9000",
            port: 9000,
            backend: "https://api.example.com"
        )
        var state = DashboardState(
            configuration: DashboardConfiguration(proxy: ProxyRoutes([route])),
            sessions: [DashboardSession(id: SessionID("0"))]
        )
        _ = state.update(.resized(columns: 120, rows: 40))
        _ = state.update(.events(run.events))
        let now = TrafficScript.moment(script.seconds + 1)
        return state.render(size: (columns: 120, rows: 40), now: now).text
    }

    /// The words of a screen, wherever its lines are broken.
    private static func words(_ write: (inout TrafficScript) -> Void) -> String {
        var script = TrafficScript()
        write(&script)
        return screen(script).replacing(/[│\s]+/, with: " ")
    }

    @Test("name the cause of a mistake without any key, and nothing in its twin", arguments: cases)
    func cause(item: ShownTraffic) {
        let mistake = Self.words(item.mistake)
        for text in item.words { #expect(mistake.contains(text), "\(mistake)") }
        let twin = Self.words(item.twin)
        for text in item.words { #expect(!twin.contains(text), "\(twin)") }
        #expect(twin.contains("no rule has fired"), "\(twin)")
    }

    @Test("show the session of an app whose tokens have names of its own")
    func ownNames() {
        let screen = Self.words { script in
            ownNames(1, at: "/api/signin", ["user": "ada", "pass": "lovelace-1815"], &script)
            for number in 2...3 {
                for status in [200, 401] {
                    script.wait(3.5)
                    let token = TrafficScript.access(number - 1)
                    let header = WireHeader("X-Auth-Jwt", token)
                    script.ask("GET", "/api/me", headers: [header], status, [:])
                }
                let spent = JSONValue.string(TrafficScript.refresh(number - 1))
                ownNames(number, at: "/api/prolong", ["rt": spent], &script)
            }
        }
        #expect(screen.contains("generation 3"), "\(screen)")
        #expect(screen.contains("2 refused"), "\(screen)")
        #expect(!screen.contains("the requests that carry no token"), "\(screen)")
    }

    /// The answer of a backend with names of its own.
    private func ownNames(
        _ number: Int,
        at path: String,
        _ request: JSONValue,
        _ script: inout TrafficScript
    ) {
        let tokens: JSONValue = [
            "jwt": .string(TrafficScript.access(number)),
            "rt": .string(TrafficScript.refresh(number)), "ttl": 6,
        ]
        script.ask("POST", path, json: request, 200, ["ok": true, "result": tokens])
    }

    private static let cases = [
        ShownTraffic(
            "an ended token is refused with 403 and a code, and the app goes on with it",
            says: "expired-sent",
            #"refused in #11: "jwt expired" · the app has not renewed since"#
        ) { script in
            script.logIn(life: 6)
            for index in 0..<10 { refused(1, index < 3 ? 200 : 403, &script) }
        } twin: { script in
            script.logIn(life: 6)
            for index in 0..<4 { refused(1, index < 3 ? 200 : 403, &script) }
            script.renew(1)
            refused(2, 200, &script)
        },
        ShownTraffic(
            "a page of a network's sign-in is stored as a token",
            says: "bad-header",
            "“undefined” in the place of a token",
            "answered 200, had brought no token, but a page"
        ) { script in
            portal(&script)
            script.wait(1.5)
            script.finish(script.send("GET", "/items", bearer: "undefined"), 401)
        } twin: { script in
            portal(&script)
            script.wait(1.5)
            script.renew(1)
            script.call(2)
        },
        ShownTraffic(
            "a lifetime in milliseconds is taken for seconds",
            says: "early-death",
            "in milliseconds"
        ) { script in
            script.logIn(life: 6_000)
            for number in 1...3 { refusedAfterSix(number, life: 6_000, &script) }
        } twin: { script in
            script.logIn(life: 6)
            for number in 1...3 { refusedAfterSix(number, life: 6, &script) }
        },
        ShownTraffic(
            "a request is repeated with the token that the renewal has replaced",
            says: "stale-token",
            "sends the access token of generation 1"
        ) { script in
            script.logIn(life: 6)
            script.wait(6.5)
            for number in 1...3 {
                script.call(1, "/items", 401)
                script.renew(number, life: 6)
                script.call(1, "/items", 401)
                script.wait(1.5)
            }
        } twin: { script in
            script.logIn(life: 6)
            for number in 1...3 {
                script.wait(6.5)
                script.call(number, "/items", 401)
                script.renew(number, life: 6)
                script.call(number + 1)
            }
        },
        ShownTraffic(
            "the app logs out at the first 502 of its backend",
            says: "gave-up",
            "answered 502), and the app logs out"
        ) { script in
            unavailable(&script)
            script.wait(0.5)
            script.logOut(1)
            script.finish(script.send("GET", "/login-page"))
        } twin: { script in
            unavailable(&script)
            script.wait(4)
            script.renew(1)
            script.call(2)
        },
        ShownTraffic(
            "the app gives up a renewal, whose answer is lost",
            says: "lost-answer",
            "before its answer came, which was lost",
            "the backend refuses the same token"
        ) { script in
            script.logIn(life: 60)
            script.call(1)
            givenUp(&script)
            script.wait(5)
            script.connection = 2
            script.refuseRefresh(1)
        } twin: { script in
            script.logIn(life: 60)
            script.call(1)
            script.wait(50)
            script.renew(1, life: 60)
            script.call(2)
        },
    ]

    private static func refused(_ number: Int, _ status: Int, _ script: inout TrafficScript) {
        script.wait(1.9)
        let error: JSONValue = ["error": "token_expired", "message": "jwt expired"]
        let answer = status == 200 ? ["items": []] : error
        script.ask("GET", "/me", bearer: TrafficScript.access(number), status, answer)
    }

    private static func portal(_ script: inout TrafficScript) {
        script.logIn(life: 6)
        script.wait(6.5)
        script.call(1, "/items", 401)
        let renewal = script.askRefresh(1)
        let page = Array("<html><title>Hotel WiFi</title></html>".utf8)
        script.answer(renewal, 200, headers: [WireHeader("Content-Type", "text/html")], body: page)
        script.deliver(renewal)
    }

    private static func refusedAfterSix(
        _ number: Int,
        life: Double,
        _ script: inout TrafficScript
    ) {
        script.wait(3)
        script.call(number)
        script.wait(3.5)
        script.call(number, "/items", 401)
        script.renew(number, life: life)
        script.call(number + 1)
    }

    private static func unavailable(_ script: inout TrafficScript) {
        script.logIn(life: 6)
        script.wait(6.5)
        script.call(1, "/items", 401)
        script.finish(script.askRefresh(1), 502)
    }

    /// The app waits for three seconds, and the backend takes six.
    private static func givenUp(_ script: inout TrafficScript) {
        let lost = script.askRefresh(1)
        script.wait(3)
        script.giveUp(lost)
        script.wait(3)
        script.answer(lost, 200, TrafficScript.pair(2, life: 60))
        script.deliver(lost, whole: false)
    }
}
