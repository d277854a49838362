import TestSupport
import Testing

@Suite("authtop forecast", .programs)
struct ForecastCommandTests {
    @Test("takes the lifetimes of the stored session, and names the profile")
    func stored() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            try bench.write(
                "extends = \"voltyks\"\nbase_url = \"http://127.0.0.1:\(sandbox.port)/voltyks\"",
                to: "config/authtop/profiles/mine.toml"
            )
            func title(_ options: String...) async throws -> String? {
                let program = try bench.authtop(["forecast", "mine", "--days", "1"] + options)
                #expect(try await program.ended() == .exit(0), "\(program.errors.text)")
                return program.output.lines.first
            }
            let documented = "mine: access token 30 m, refresh token 7 d"
            #expect(try await title() == documented)
            let credentials = [
                "AUTHTOP_MINE_EMAIL": "user@example.com", "AUTHTOP_MINE_PASSWORD": "password",
            ]
            let login = try bench.authtop(["login", "mine"], with: credentials)
            #expect(try await login.ended() == .exit(0), "\(login.errors.text)")
            let stored = "mine: access token 10 m (stored), refresh token 7 d"
            #expect(try await title() == stored)
            let given = "mine: access token 5 m, refresh token 7 d"
            #expect(try await title("--access-ttl", "5m") == given)
        }
    }
}
