import Basics
import Observer
import Profiles
import Testing

@testable import Model

/// Whose requests count as those of one client.
@Suite("Clients of an app")
struct ClientTests {
    private static func clients(_ script: TrafficScript, of session: String = "1")
        -> [ObservedClient]
    {
        ObservationRun(script).events.filter { $0.session == SessionID(session) }
            .compactMap { $0.kind as? ObservedClient }
    }

    /// A call of a page, which names its origin or does not.
    private static func call(
        _ number: Int,
        from origin: String? = nil,
        _ status: Int = 200,
        in script: inout TrafficScript
    ) {
        let headers = origin.map { [WireHeader("Origin", $0)] } ?? []
        let exchange = script.send(
            origin == nil ? "GET" : "POST",
            "/items",
            bearer: TrafficScript.access(number),
            headers: headers
        )
        script.finish(exchange, status)
        script.wait(1)
    }

    @Test("a page whose GET has no Origin is the one whose POST has it", arguments: [true, false])
    func samePage(isPostFirst: Bool) {
        var script = TrafficScript()
        script.logIn()
        if isPostFirst { Self.call(1, from: "https://app.example.com", in: &script) }
        Self.call(1, in: &script)
        Self.call(1, from: "https://app.example.com", in: &script)
        #expect(Self.clients(script).count == 1)
    }

    @Test("a loop of one page is certain, whether its requests have an Origin or not")
    func loop() throws {
        var script = TrafficScript()
        script.logIn()
        Self.call(1, from: "https://app.example.com", in: &script)
        script.wait(290)
        for _ in 1...6 { Self.call(1, 401, in: &script) }
        let run = ObservationRun(script)
        let finding = try #require(run.findings.first { $0.rule == "loop-401" }, "\(run.summary)")
        #expect(finding.severity == .bug && finding.confidence == .certain)
    }

    @Test("pages of two origins are two clients")
    func twoPages() {
        var script = TrafficScript()
        script.logIn()
        Self.call(1, from: "https://one.example.com", in: &script)
        Self.call(1, from: "https://two.example.com", in: &script)
        #expect(Self.clients(script).count == 2)
    }

    @Test("a request without an Origin is one of the page that has its token")
    func holder() {
        var script = TrafficScript()
        for (number, origin) in [(1, "https://one.example.com"), (7, "https://two.example.com")] {
            let login = script.send(
                "POST",
                "/login",
                headers: [WireHeader("Origin", origin)],
                json: ["username": "ada", "password": "correct"]
            )
            script.finish(login, 200, TrafficScript.pair(number))
        }
        Self.call(1, in: &script)
        Self.call(7, in: &script)
        #expect(Self.clients(script, of: "1").map(\.origin) == ["https://one.example.com"])
        #expect(Self.clients(script, of: "2").map(\.origin) == ["https://two.example.com"])
    }

    @Test("one program that reaches the proxy by either loopback address is one client")
    func loopback() {
        var script = TrafficScript()
        script.logIn()
        script.peer = "::1"
        Self.call(1, in: &script)
        script.peer = "127.0.0.2"
        Self.call(1, in: &script)
        #expect(Self.clients(script).map(\.peer) == ["127.0.0.1", "127.0.0.2"])
    }
}
