import Foundation
import TestSupport
import Testing

/// Whole sessions: a sign-in, five rotations, a revocation, another sign-in, and a logout.
@Suite(
    "A session of an OAuth 2.0 server that is not ours",
    .programs,
    .enabled("python3-django-oauth-toolkit is not installed") { await OAuthServer.isInstalled() }
)
struct OAuthSessionTests {
    @Test(
        "begins in a real browser, which BROWSER starts: with a code and PKCE",
        .enabled("chromium-driver is not installed") {
            FileManager.default.isExecutableFile(atPath: "/usr/bin/chromedriver")
        }
    )
    func chromium() async throws {
        try await withBench { bench in
            let server = try await bench.oauthServer(lifetime: 6)
            let path = try bench.write(
                try OAuthServer.profile(grant: "authorization_code", at: server.port)
                    + OAuthServer.browserLines,
                to: "server.toml"
            )
            let browser = "\(Program.python) -B \(OAuthServer.chromium) %s"
            let watch = try bench.authtop(
                ["watch", path, "--json", "--every", "500ms"],
                with: ["BROWSER": browser]
            )
            let stream = EventStream(watch.output)
            let issued = try await stream.first("tokens", within: .seconds(120)) {
                $0.kind == "tokensIssued"
            }
            let requested = try #require(try stream.all("authorizationRequested").first)
            #expect(requested["opened"] == .flag(true))
            try await expectRevocation(of: server, watch, stream, after: issued)
            let login = try bench.authtop(["login", path], with: ["BROWSER": browser])
            #expect(
                try await login.ended(within: .seconds(120)) == .exit(0),
                "\(login.errors.text)"
            )
            #expect(login.errors.text.contains("log in with the browser that was opened"))
            try await expectLogout(path, on: bench)
        }
    }

    @Test(
        "begins on any device (RFC 8628), and is confirmed in a browser",
        .enabled("this toolkit has no device grant, see AUTHTOP_TOOLKIT_PYTHON") {
            await OAuthServer.hasDeviceGrant()
        }
    )
    func device() async throws {
        try await withBench { bench in
            let server = try await bench.oauthServer(
                lifetime: 6,
                settings: #"{"DEVICE_FLOW_INTERVAL": 1}"#
            )
            let path = try bench.write(
                try OAuthServer.profile(grant: "device_code", at: server.port)
                    + OAuthServer.deviceLines,
                to: "server.toml"
            )
            let watch = try bench.authtop(["watch", path, "--json", "--every", "500ms"])
            let stream = EventStream(watch.output)
            try await confirm(stream, at: server, on: bench)
            let issued = try await stream.first("tokensIssued")
            try await expectRevocation(of: server, watch, stream, after: issued)
            let login = try bench.authtop(["login", path, "--json"])
            try await confirm(EventStream(login.output), at: server, on: bench)
            #expect(try await login.ended() == .exit(0), "\(login.errors.text)")
            try await expectLogout(path, on: bench)
        }
    }

    /// Logs in with a browser, and confirms the device whose code is shown.
    private func confirm(
        _ stream: EventStream,
        at server: OAuthServer,
        on bench: Bench
    ) async throws {
        let requested = try await stream.first("authorizationRequested")
        let code = try #require(requested.text("userCode"))
        let address = try #require(requested.text("url"))
        #expect(address == "http://127.0.0.1:\(server.port)/o/device/")
        try await Program.run(
            Program.python,
            ["-B", OAuthServer.browser, address, code],
            environment: bench.environment
        )
    }

    /// Waits for five rotations, and ends the session as an administrator does.
    private func expectRevocation(
        of server: OAuthServer,
        _ watch: Program,
        _ stream: EventStream,
        after issued: Event
    ) async throws {
        let last = try await stream.fiveRenewals(after: issued)
        try await server.revokeAll()
        let refused = try await stream.first("refreshTokenRefused", after: last)
        guard case .list(let causes)? = refused["possibleCauses"] else {
            throw NeverCame(what: "possible causes", evidence: refused.line)
        }
        #expect(causes.contains(.text("revoked")))
        let over = try await stream.first("signedOut", after: refused)
        #expect(over.text("reason") == "revoked")
        #expect(try await watch.ended() == .exit(1))
    }

    /// Logs out, and looks whether the server has acknowledged it.
    private func expectLogout(_ path: String, on bench: Bench) async throws {
        let logout = try bench.authtop(["logout", path, "--json"])
        #expect(try await logout.ended() == .exit(0), "\(logout.errors.text)")
        let revocation = try await EventStream(logout.output).first("the revocation") {
            $0.isRequest("logout") && $0.status != nil
        }
        #expect(revocation.status == 200)
    }
}
