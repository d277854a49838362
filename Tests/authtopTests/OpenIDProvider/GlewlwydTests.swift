import Foundation
import TestSupport
import Testing

@Suite(
    "An OpenID provider that is a program of its own, by --issuer alone",
    .programs,
    .enabled("glewlwyd is not installed") { Glewlwyd.isInstalled }
)
struct GlewlwydTests {
    @Test("is watched with what `profiles init` wrote: five rotations, a revocation, a logout")
    func session() async throws {
        try await withBench { bench in
            let provider = try await bench.glewlwyd(lifetime: 8)
            try await initialize(provider, on: bench)
            let watch = try bench.authtop(
                ["watch", "found", "--json", "--no-browser", "--every", "500ms"],
                with: Self.credentials
            )
            try await provider.signIn(at: try await watch.signInAddress())
            let stream = EventStream(watch.output)
            let checked = try await stream.first("idTokenChecked")
            #expect(checked.text("signature") == "valid")
            let issued = try await stream.first("tokensIssued", after: checked)
            #expect(issued.text("accessFormat") == "JWT ES256")
            let last = try await stream.fiveRenewals(after: issued)
            try await provider.revokeAll()
            let refused = try await stream.first("refreshTokenRefused", after: last)
            let over = try await stream.first("signedOut", after: refused)
            #expect(over.text("reason") == "revoked")
            #expect(try await watch.ended() == .exit(1))
            for text in [watch.output.text, watch.errors.text] {
                #expect(!text.contains(Glewlwyd.secret) && !text.contains("eyJ"))
            }

            let login = try bench.authtop(
                ["login", "found", "--no-browser"],
                with: Self.credentials
            )
            try await provider.signIn(at: try await login.signInAddress())
            #expect(try await login.ended() == .exit(0), "\(login.errors.text)")
            let logout = try bench.authtop(["logout", "found", "--json"], with: Self.credentials)
            #expect(try await logout.ended() == .exit(0), "\(logout.errors.text)")
            let revocation = try await EventStream(logout.output).first("the revocation") {
                $0.isRequest("logout") && $0.status != nil
            }
            #expect(revocation.status == 200)
        }
    }

    @Test("is tried by `profiles validate --try`, with a browser that BROWSER names")
    func trial() async throws {
        try await withBench { bench in
            let provider = try await bench.glewlwyd(lifetime: 120)
            try await initialize(provider, on: bench)
            let trial = try bench.authtop(
                ["profiles", "validate", "found", "--try"],
                with: Self.credentials.merging(["BROWSER": Glewlwyd.browser]) { $1 }
            )
            #expect(try await trial.ended() == .exit(0), "\(trial.errors.text)")
            #expect(trial.output.text.contains("logged in, renewed once, and"))
            #expect(!trial.output.text.contains("eyJ"))
        }
    }

    private static let credentials = ["AUTHTOP_FOUND_CLIENT_SECRET": Glewlwyd.secret]

    private func initialize(_ provider: Glewlwyd, on bench: Bench) async throws {
        let written = try bench.authtop([
            "profiles", "init", "found", "--issuer", provider.issuer, "--client-id", "authtop",
            "--redirect-port", "\(provider.redirectPort)",
        ])
        #expect(try await written.ended() == .exit(0), "\(written.errors.text)")
        let path = "\(bench.home)/config/authtop/profiles/found.toml"
        let profile = try String(contentsOfFile: path, encoding: .utf8)
        let stated = try ProfileSizeTests.rows["Glewlwyd, as `profiles init --issuer` writes it"]
        #expect(ProfileSizeTests.lines(of: profile) == stated)
    }
}
