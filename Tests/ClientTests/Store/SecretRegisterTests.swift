import Basics
import Testing

@testable import Client
@testable import Model
@testable import Observer

@Suite("The register of secrets")
struct SecretRegisterTests {
    private static let fingerprinter = Fingerprinter(salt: [UInt8](repeating: 1, count: 16))

    @Test("knows a secret for an hour after its last use")
    func hour() {
        var register = SecretRegister(fingerprinter: Self.fingerprinter)
        register.register(Secret("first token"), at: .origin)
        register.register(Secret("second token"), at: .origin)
        register.register(Secret("first token"), at: .origin + .seconds(600))
        func shown(after seconds: Double) -> String {
            register.known(at: Instant.origin.advanced(bySeconds: seconds))
                .hiding(in: "first token, second token").replacing(/‹\w+›/, with: "‹›")
        }
        #expect(shown(after: 3599) == "‹›, ‹›")
        #expect(shown(after: 3600) == "‹›, second token")
        #expect(shown(after: 4199) == "‹›, second token")
        #expect(shown(after: 4200) == "first token, second token")
    }

    @Test("takes of the credentials what is secret")
    func credentials() {
        var register = SecretRegister(fingerprinter: Self.fingerprinter)
        register.register(
            credentials: ["email": Secret("user@example.com"), "client_secret": Secret("s3cr3t")],
            at: .origin
        )
        #expect(
            register.known(at: .origin).hiding(in: "user@example.com: s3cr3t")
                == "user@example.com: ‹client secret›"
        )
    }

    @Test("a short word withholds no message, unless its name is that of a secret")
    func shortWords() {
        var register = SecretRegister(fingerprinter: Self.fingerprinter)
        register.register(credentials: ["connection": Secret("web")], at: .origin)
        let message = "not good for web"
        #expect(register.known(at: .origin).hiding(in: message) == message)
        register.register(credentials: ["password": Secret("web")], at: .origin)
        #expect(register.known(at: .origin).hiding(in: message) == "‹withheld›")
    }

    @Test("is bounded, in number and in bytes, and keeps the credentials and what was used last")
    func bounds() {
        var register = SecretRegister(fingerprinter: Self.fingerprinter)
        register.register(credentials: ["password": Secret("hunter2")], at: .origin)
        for number in 0..<2000 {
            register.register(Secret("token-\(number)-"), at: .origin + .seconds(number))
        }
        let known = register.known(at: .origin + .seconds(2000))
        let count = (0..<2000).count { known.contains(Secret("token-\($0)-")) }
        #expect((300...SecretRegister.usualTokenLimit).contains(count))
        #expect(known.contains(Secret("token-1999-")))
        #expect(known.contains(Secret("hunter2")))

        let large = String(repeating: "x", count: 60_000)
        for number in 0..<20 { register.register(Secret("\(number)\(large)"), at: .origin) }
        register.register(Secret("the last"), at: .origin + .seconds(1))
        let rest = register.known(at: .origin + .seconds(2))
        #expect((0..<20).count { rest.contains(Secret("\($0)\(large)")) } <= 8)
        #expect(rest.contains(Secret("the last")))
    }
}
