import Foundation
import TestSupport
import Testing

@Suite("The key in the Secret Service", .programs)
struct KeyringTests {
    @Test("opens a session at the next start; locked or out of reach it is not signed out")
    func keyring() async throws {
        try await withBench { bench in
            // No renewal comes between.
            let sandbox = try await bench.sandbox("--access-ttl", "4m")
            let base = "http://127.0.0.1:\(sandbox.port)/voltyks"
            let script = """
                watch() { "$0" watch voltyks --base-url \(base) --json --for 10s >&3; }
                \(Keyring.unlock)
                watch
                watch
                gdbus call --session --dest org.freedesktop.secrets \
                    --object-path /org/freedesktop/secrets \
                    --method org.freedesktop.Secret.Service.Lock \
                    "['/org/freedesktop/secrets/collection/login']" >&2
                watch
                unset DBUS_SESSION_BUS_ADDRESS
                watch
                exit 0
                """
            // A keyring that the bus starts prints variables.
            let session = "exec 3>&1 >&2; exec dbus-run-session -- /bin/sh -c \"$1\" \"$0\""
            let program = bench.keep(
                try Program(
                    "/bin/sh",
                    ["-c", session, Authtop.path, script],
                    environment: bench.environment.merging(Guide.voltyks.credentials) { $1 }
                )
            )
            let ending = try await program.ended(within: .seconds(180))
            #expect(ending == .exit(0), "\(program.errors.text)")
            let stream = EventStream(program.output)
            let origins = try stream.all("tokensIssued").compactMap { $0.text("origin") }
            #expect(origins == ["login", "resumed"])
            let places = try stream.all("capabilities").compactMap { $0.text("vault") }
            #expect(places.count == 4)
            #expect(places.allSatisfy { $0.hasPrefix("encrypted file, key in the Secret Service") })
            let refusals = try stream.events.filter { $0.enters("vaultUnavailable") }
                .compactMap { $0.text("why") }
            #expect(refusals.count == 2)
            #expect(refusals.first == "the keyring that has the key is locked: unlock it")
            #expect(refusals.last?.hasPrefix("the Secret Service cannot be asked") == true)
            let files = try FileManager.default.contentsOfDirectory(
                atPath: bench.home + "/state/authtop"
            )
            #expect(files.contains("key") == false)
        }
    }
}
