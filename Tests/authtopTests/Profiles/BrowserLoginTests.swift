import Foundation
import TestSupport
import Testing

@Suite("Logging in with a browser", .programs)
struct BrowserLoginTests {
    @Test("starts the browser, and keeps the session that its redirect brings")
    func loggedIn() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let path = try bench.browserProfile(of: sandbox, deciding: "approve")
            let browser = ["BROWSER": "/nonexistent:\(try bench.silentBrowser())"]
            let login = try bench.authtop(["login", path], with: browser)
            #expect(try await login.ended() == .exit(0), "\(login.errors.text)")
            #expect(login.output.text.contains("logged in"))
            #expect(login.errors.text.contains("log in with the browser that was opened"))
            let again = try bench.authtop(["login", path], with: browser)
            #expect(try await again.ended() == .exit(0))
            #expect(again.output.text.contains("already logged in"))
            #expect(again.errors.text.isEmpty)
            let refresh = try bench.authtop(["refresh", path])
            #expect(try await refresh.ended() == .exit(0), "\(refresh.errors.text)")
            let counters = try await sandbox.report().backend.counters["oauth2"]
            #expect(counters?.logins == 1)
            #expect(counters?.refreshes == 1)
        }
    }

    @Test("prints the address, waits for the user, and ignores what is not their redirect")
    func byHand() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let path = try bench.browserProfile(of: sandbox)
            let login = try bench.authtop(
                ["login", path, "--no-browser", "--json"],
                with: ["BROWSER": "/bin/false"]
            )
            let address = try await login.signInAddress()
            #expect(login.errors.text.contains("open this address in a browser on this machine"))
            let form = try await HandMadeBrowser.get(address)
            #expect(form.status == 200)
            #expect(form.body.contains("<form"))
            let wrong = try await HandMadeBrowser.post(
                "sandbox=sign-in&username=sandbox&password=wrong",
                to: address
            )
            #expect(wrong.status == 403)
            let right = try await HandMadeBrowser.post(
                "sandbox=sign-in&username=sandbox&password=password",
                to: address
            )
            let redirect = try #require(right.values(of: "location").first)
            let forged = redirect.replacing("state=", with: "state=x")
            let refused = try await HandMadeBrowser.get(forged)
            #expect(refused.status == 400)
            #expect(refused.body.contains("does not belong to the login"))
            let page = try await HandMadeBrowser.get(redirect)
            #expect(page.status == 200)
            #expect(page.body.contains("You can close this window"))
            #expect(try await login.ended() == .exit(0), "\(login.errors.text)")
            let stream = EventStream(login.output)
            let requested = try await stream.first("authorizationRequested")
            #expect(requested.text("url") == address)
            #expect(requested["opened"] == .flag(false))
            try await stream.first("tokensIssued", after: requested)
            // The code is of no use to others, but is a secret all the same.
            let code = redirect.split(separator: "code=").last?.prefix { $0 != "&" }
            let text = try #require(code)
            #expect(!login.output.text.contains(text))
            #expect(!login.errors.text.contains(text))
        }
    }

    @Test("ends with 1 and the server's words when the user denies it")
    func denied() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let path = try bench.browserProfile(of: sandbox, deciding: "deny")
            let login = try bench.authtop(
                ["login", path],
                with: ["BROWSER": try bench.silentBrowser()]
            )
            #expect(try await login.ended() == .exit(1))
            #expect(
                login.errors.text.contains(
                    "login failed: the server refused the login: access_denied: "
                        + "the user has denied the sign-in"
                )
            )
        }
    }

    @Test("a redirect without the profile's issuer ends the login")
    func otherIssuer() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let path = try bench.browserProfile(
                of: sandbox,
                deciding: "approve",
                "login.authorize.issuer = \"https://auth.example.com\""
            )
            let login = try bench.authtop(
                ["login", path],
                with: ["BROWSER": try bench.silentBrowser()]
            )
            #expect(try await login.ended() == .exit(3))
            #expect(login.errors.text.contains("does not name the issuer of the profile"))
        }
    }

    @Test("a port that is in use is named at once")
    func portInUse() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let path = try bench.browserProfile(
                of: sandbox,
                "login.authorize.redirect_port = \(sandbox.port)"
            )
            let login = try bench.authtop(["login", path, "--no-browser"])
            #expect(try await login.ended() == .exit(3))
            #expect(
                login.errors.text.contains("port \(sandbox.port): another program listens there")
            )
        }
    }

    @Test("a command in a script does not wait for a user")
    func script() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let path = try bench.browserProfile(of: sandbox, deciding: "approve")
            let token = try bench.authtop(
                ["token", path],
                with: ["BROWSER": try bench.silentBrowser()]
            )
            #expect(try await token.ended() != .exit(0))
            #expect(token.output.text.isEmpty)
            #expect(try await sandbox.report().backend.counters["oauth2"]?.logins ?? 0 == 0)
        }
    }

    @Test("a client with a secret sends it with the code")
    func confidential() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let path = try bench.browserProfile(
                of: sandbox,
                deciding: "approve",
                "login.client_auth = \"basic\""
            )
            let login = try bench.authtop(
                ["login", path],
                with: [
                    "BROWSER": try bench.silentBrowser(), "AUTHTOP_MINE_CLIENT_SECRET": "wrong",
                ]
            )
            #expect(try await login.ended() == .exit(1))
            let right = try bench.authtop(
                ["login", path],
                with: [
                    "BROWSER": try bench.silentBrowser(), "AUTHTOP_MINE_CLIENT_SECRET": "secret",
                ]
            )
            #expect(try await right.ended() == .exit(0), "\(right.errors.text)")
        }
    }

    @Test("on the dashboard an overlay shows the address; Esc cancels, o begins again")
    func dashboard() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let path = try bench.browserProfile(of: sandbox, deciding: "approve")
            let terminal = try await bench.terminal(columns: 120, rows: 40, with: [:])
            try await terminal.enter("authtop watch \(path) --no-browser --vault memory")
            try await terminal.see("Log in with a browser")
            try await terminal.see("Esc cancel")
            try await terminal.press("Escape")
            try await terminal.see("the login was cancelled")
            try await terminal.press("o")
            let screen = try await terminal.see("Log in with a browser")
            let address = Self.address(on: screen)
            try await terminal.press("y")
            try await terminal.see("the address, \(address.utf8.count) bytes")
            let pages = try await HandMadeBrowser.open(address)
            #expect(pages.last?.status == 200)
            try await terminal.see("● fresh")
            try await terminal.seeNo("Log in with a browser")
            try await terminal.press("q")
            try await terminal.seePrompt(after: 0)
        }
    }

    /// The address in the overlay, which is broken into rows.
    private static func address(on screen: [String]) -> String {
        let rows = screen.map { row in
            row.split(separator: "│").map { $0.trimmingCharacters(in: [" "]) }
        }
        var address = ""
        for row in rows {
            if let start = row.first(where: { $0.hasPrefix("http://127.0.0.1:") && $0.count > 60 })
            {
                address = start
            } else if !address.isEmpty {
                guard let rest = row.first(where: { !$0.isEmpty && !$0.contains(" ") }) else {
                    break
                }
                address += rest
            }
        }
        return address
    }
}
