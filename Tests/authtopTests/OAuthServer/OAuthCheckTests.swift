import TestSupport
import Testing

@Suite(
    "authtop check of a server that is not ours",
    .programs,
    .enabled("python3-django-oauth-toolkit is not installed") { await OAuthServer.isInstalled() }
)
struct OAuthCheckTests {
    @Test(
        "names what its settings say",
        arguments: [
            (#"{}"#, "strict"),
            (#"{"ROTATE_REFRESH_TOKEN": false}"#, "static"),
            (#"{"REFRESH_TOKEN_GRACE_PERIOD_SECONDS": 3}"#, "grace"),
        ]
    )
    func settings(settings: String, name: String) async throws {
        try await withBench { bench in
            let server = try await bench.oauthServer(lifetime: 120, settings: settings)
            let path = try bench.write(
                try OAuthServer.profile(grant: "password", at: server.port),
                to: "server.toml"
            )
            let check = try bench.authtop(
                [
                    "check", path, "--json", "--max-wait", "5s",
                    "--only", "login,refresh,reuse,depth,until-used,window",
                ],
                with: OAuthServer.credentials(grant: "password")
            )
            #expect(try await check.ended() == .exit(0), "\(check.errors.text)")
            let report = JSON.object(try JSON.object(in: check.output.text))
            #expect(report["policy.name"] == .text(name), "\(check.output.text)")
            if name == "grace" {
                let low = try #require(report["policy.windowLow"]?.number)
                let high = try #require(report["policy.windowHigh"]?.number)
                #expect(low <= 3 && 3 < high, "\(low)...\(high)")
            }
            #expect(!(check.output.text + check.errors.text).contains("s3cr3t-of-"))
        }
    }
}
