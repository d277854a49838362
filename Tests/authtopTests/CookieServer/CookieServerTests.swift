import Foundation
import TestSupport
import Testing

@Suite(
    "A backend with cookies and double-submit CSRF",
    .programs,
    .enabled("Django and websockets are not installed") {
        await Program.pythonHas("django, websockets")
    }
)
struct CookieServerTests {
    @Test("is watched through five rotations, each with the last CSRF token, until it ends them")
    func rotations() async throws {
        try await withBench { bench in
            let server = try await CookieServer(lifetime: 6, on: bench)
            try server.write(on: bench)
            let program = try watch(on: bench)
            let stream = EventStream(program.output)
            let issued = try await stream.first("tokensIssued")
            #expect(issued.text("accessSource") == "cookie Max-Age")
            #expect(issued.number("accessLifetime") == 6)
            let last = try await stream.fiveRenewals(after: issued)
            let names = try stream.all("tokensIssued").compactMap { pair in
                pair["captures"]?["csrf"]?.text
            }
            #expect(Set(names).count >= 6)
            try expectDoubleSubmit(to: "/api/auth/refresh/", server)
            try await server.endSessions()
            let end = try await stream.first("signedOut", after: last)
            #expect(end.text("reason") == "revoked")
            #expect(try await program.ended() == .exit(1))
        }
    }

    @Test("a stored CSRF token is sent by the next program, and with the logout")
    func restarted() async throws {
        try await withBench { bench in
            let server = try await CookieServer(lifetime: 60, on: bench)
            try server.write(on: bench)
            for command in ["login", "refresh", "refresh", "logout"] {
                let program = try bench.authtop([command, "spa"], with: CookieServer.credentials)
                #expect(try await program.ended() == .exit(0), "\(command): \(program.errors.text)")
            }
            #expect(server.relay.requests(to: "/api/auth/login/").count == 1)
            #expect(server.relay.requests(to: "/api/auth/refresh/").count == 2)
            try expectDoubleSubmit(to: "/api/auth/refresh/", server)
            try expectDoubleSubmit(to: "/api/auth/logout/", server)
            let logout = server.relay.answers.last { $0.status == 204 }
            #expect(logout != nil)
        }
    }

    @Test("a program that shares the session takes the CSRF token over with the pair")
    func shared() async throws {
        try await withBench { bench in
            let server = try await CookieServer(lifetime: 20, on: bench)
            try server.write(on: bench)
            let login = try bench.authtop(["login", "spa"], with: CookieServer.credentials)
            #expect(try await login.ended() == .exit(0))
            let first = try watch(on: bench)
            let second = try watch(on: bench)
            let stream = EventStream(second.output)
            let taken = try await stream.first("tokensIssued")
            // Renewed by a third program, so that the second one cannot but take it over.
            let refresh = try bench.authtop(["refresh", "spa"])
            #expect(try await refresh.ended() == .exit(0))
            let adopted = try await stream.first("the pair of another program", after: taken) {
                $0.kind == "tokensIssued" && $0.text("origin") == "adopted"
            }
            #expect(adopted["captures"] != taken["captures"])
            first.send(SIGTERM)
            try await first.ended()
            try await stream.first("refreshSucceeded", after: adopted)
            #expect(try stream.all("refreshFailed").map(\.line) == [])
            try expectDoubleSubmit(to: "/api/auth/refresh/", server)
        }
    }

    @Test("a CSRF token that it does not accept is named, and the session lives on")
    func wrong() async throws {
        try await withBench { bench in
            let server = try await CookieServer(lifetime: 6, on: bench)
            try server.write(
                on: bench,
                changing: ["X-CSRFToken = \"{csrf}\"": "X-CSRFToken = \"x{csrf}\""]
            )
            let program = try watch(on: bench)
            let stream = EventStream(program.output)
            let failed = try await stream.first("refreshFailed")
            #expect(failed.text("cause") == "forbidden")
            #expect(failed.text("class") == "clientFault")
            #expect(failed.integer("status") == 403)
            let message = failed.text("message") ?? ""
            #expect(message.contains("CSRF Failed"))
            #expect(message.contains("csrf (cookie:csrftoken)"))
            try await stream.state("retrying")
            #expect(try stream.all("signedOut").map(\.line) == [])
            #expect(try stream.all("draining").map(\.line) == [])
        }
    }

    @Test("a request is not sent while the value that it needs is missing, which is said")
    func missing() async throws {
        try await withBench { bench in
            let server = try await CookieServer(lifetime: 6, on: bench)
            try server.write(on: bench, changing: ["cookie:csrftoken": "header:X-CSRF"])
            let program = try watch(on: bench)
            let stream = EventStream(program.output)
            let issued = try await stream.first("tokensIssued")
            #expect(issued["captures"] == .object(["csrf": .null]))
            let failed = try await stream.first("refreshFailed", after: issued)
            #expect(failed.text("cause") == "missingCapture")
            #expect(failed.text("message")?.contains("header:X-CSRF") == true)
            #expect(server.relay.requests(to: "/api/auth/refresh/").isEmpty)
        }
    }

    @Test("its feed, which demands the CSRF token, opens with each pair")
    func feed() async throws {
        try await withBench { bench in
            let server = try await CookieServer(lifetime: 6, on: bench)
            try server.write(on: bench, more: feed(of: server))
            let program = try watch(on: bench)
            let stream = EventStream(program.output)
            var last = try await stream.first("feedOpened")
            for _ in 0..<2 {
                let renewed = try await stream.first("refreshSucceeded", after: last)
                last = try await stream.first("the feed with the new pair", after: renewed) {
                    $0.kind == "feedOpened" && $0.integer("usedGeneration") == renewed.generation
                }
                try await stream.first("feedMessage", after: last)
            }
            #expect(try stream.all("feedRefused").map(\.line) == [])
        }
    }

    @Test("its feed says that it refuses a wrong CSRF token, and the session lives on")
    func feedRefusal() async throws {
        try await withBench { bench in
            let server = try await CookieServer(lifetime: 60, on: bench)
            try server.write(on: bench, more: feed(of: server, sending: "x{csrf}"))
            let program = try watch(on: bench)
            let stream = EventStream(program.output)
            let refused = try await stream.first("feedRefused")
            #expect(refused.status == 403)
            #expect(refused.text("body") == "CSRF Failed")
            // The renewal that it causes does not help.
            let renewed = try await stream.first("refreshSucceeded", after: refused)
            try await stream.first("feedRefused", after: renewed)
            #expect(try stream.all("signedOut").map(\.line) == [])
        }
    }

    @Test("no cookie is in what is printed, logged, recorded, shown or stored")
    func nowhere() async throws {
        try await withBench { bench in
            let server = try await CookieServer(lifetime: 6, on: bench)
            try server.write(on: bench)
            let terminal = try await bench.terminal(with: CookieServer.credentials)
            let log = "\(bench.home)/log"
            try await terminal.enter(
                "authtop watch spa --every 300ms --log \(log) --log-level trace "
                    + "--record \(bench.home)/recording"
            )
            try await terminal.seeGeneration(atLeast: 2)
            try await terminal.press("1", "Enter")
            var screens = try await terminal.see("Captured values", "from cookie:csrftoken")
            try await terminal.escape(from: "Captured values")
            try await terminal.press("q")
            try await terminal.seePrompt(after: 0)
            var programs: [Program] = []
            for arguments in [
                ["refresh", "spa", "--json"], ["status", "spa"], ["status", "spa", "--json"],
                ["data", "export", "spa"], ["request", "spa", "GET", "/api/me/"],
            ] {
                let program = try bench.authtop(arguments, with: CookieServer.credentials)
                programs.append(program)
                #expect(try await program.ended() == .exit(0), "\(arguments)")
            }
            let names = ["csrftoken", "access_token", "refresh_token"]
            let values = Set(names.flatMap(server.values))
            #expect(values.count >= 9)
            let scan = TokenScan(values)
            screens += programs.flatMap { [$0.output.text, $0.errors.text] }
            for text in screens { #expect(scan.forms(in: text) == []) }
            let files = try bench.files
            for part in ["/log", "/recording", ".vault"] {
                #expect(files.contains { $0.hasSuffix(part) }, "\(part)")
            }
            for file in files {
                let content = try #require(FileManager.default.contents(atPath: file))
                #expect(scan.forms(in: content) == [], "\(file)")
            }
        }
    }

    private func feed(of server: CookieServer, sending token: String = "{csrf}") -> String {
        """

        [feed]
        path = "ws://127.0.0.1:\(server.feedPort)/feed"
        token_in = "cookie:access_token"
        seq = "seq"
        switch = "restart"
        headers = { X-CSRFToken = "\(token)", Cookie = "csrftoken={csrf}" }
        """
    }

    private func watch(on bench: Bench) throws -> Program {
        try bench.authtop(
            ["watch", "spa", "--json", "--every", "500ms", "--for", "120s"],
            with: CookieServer.credentials
        )
    }

    /// Each of these requests has one header with all cookies, and the CSRF token in both places;
    /// each has another one, the last that was set.
    private func expectDoubleSubmit(to path: String, _ server: CookieServer) throws {
        var sent: [String] = []
        for request in server.relay.requests(to: path) {
            let cookies = request.values(of: "cookie")
            #expect(cookies.count == 1)
            let token = try #require(Shape.cookie("csrftoken")(request))
            #expect(request.values(of: "x-csrftoken") == [token])
            #expect(Shape.cookie("refresh_token")(request) != nil)
            sent.append(token)
        }
        #expect(Set(sent).count == sent.count)
        #expect(Set(sent).isSubset(of: server.values(of: "csrftoken")))
    }
}
