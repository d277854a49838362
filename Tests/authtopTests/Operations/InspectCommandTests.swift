import Crypto
import Foundation
import TestSupport
import Testing

@Suite("authtop inspect", .programs)
struct InspectCommandTests {
    /// An oddity of a token, made at the time of the test.
    enum Oddity: CaseIterable {
        case expired
        case endsBeforeItBegins
        case longLife
        case notYet
        case issuedLater
        case milliseconds
        case unsigned
        case endless
        case neverEnds
        case endedBeforeTime

        var token: MadeToken {
            let now = Int(Date().timeIntervalSince1970)
            return switch self {
            case .expired: MadeToken(endsIn: -3_630)
            case .endsBeforeItBegins: MadeToken(#"{"iat":\#(now - 10),"exp":\#(now - 20)}"#)
            case .longLife: MadeToken(#"{"iat":\#(now),"exp":\#(now + 864_060)}"#)
            case .notYet: MadeToken(#"{"nbf":\#(now + 630),"exp":\#(now + 900)}"#)
            case .issuedLater: MadeToken(#"{"iat":\#(now + 630),"exp":\#(now + 900)}"#)
            case .milliseconds: MadeToken(#"{"exp":\#(now)000}"#)
            case .unsigned: MadeToken(#"{"exp":\#(now + 60)}"#, header: #"{"alg":"none"}"#)
            case .endless: MadeToken(#"{"sub":"1"}"#)
            case .neverEnds: MadeToken(#"{"exp":253402300799}"#)
            case .endedBeforeTime: MadeToken(#"{"exp":-1}"#)
            }
        }

        var message: String {
            switch self {
            case .expired: "⚠ expired 1 h ago"
            case .endsBeforeItBegins: "⚠ exp is before iat: it expired before it was issued"
            case .longLife: "⚠ lives 10 d"
            case .notYet: "⚠ not valid yet: nbf is in 10 m"
            case .issuedLater: "⚠ issued 10 m"
            case .milliseconds: "⚠ exp seems to be in milliseconds: RFC 7519 requires seconds"
            case .unsigned: "⚠ alg none: it is not signed, so anyone can have written it"
            case .endless: "⚠ no exp: the token does not say when it expires"
            case .neverEnds: "⚠ never expires: exp is in the year 9000 or later"
            case .endedBeforeTime: "⚠ exp is negative: a time before 1970"
            }
        }
    }

    @Test("says what is odd about a token", arguments: Oddity.allCases)
    func oddities(oddity: Oddity) async throws {
        try await withBench { bench in
            let text = oddity.token.text
            let program = try bench.authtop(["inspect"], reading: "Authorization: Bearer \(text)\n")
            #expect(try await program.ended() == .exit(0))
            let lines = program.output.lines
            let warnings = lines.filter { $0.hasPrefix("⚠") }
            #expect(warnings.contains { $0.hasPrefix(oddity.message) }, "\(program.output.text)")
            #expect(warnings.count == (oddity == .endsBeforeItBegins ? 2 : 1), "\(warnings)")
            #expect(program.output.text.contains(text) == false)
        }
    }

    @Test("has nothing to say against a token that is as it should be")
    func sound() async throws {
        try await withBench { bench in
            let program = try bench.authtop(
                ["inspect", "-", "--json"],
                reading: "\"\(MadeToken(endsIn: 500).text)\""
            )
            #expect(try await program.ended() == .exit(0))
            let object = try JSON.object(in: program.output.text)
            #expect(object["findings"] == .list([]))
            #expect(object["claims"]?["sub"]?.text == "9")
            #expect(object["signature"]?.text == "notChecked")
        }
    }

    @Test(
        "tells what is no JWT from what is a broken one",
        arguments: [
            ("an-opaque-token", "opaque token", Int32(0)),
            ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIi", "2 parts between dots", 1),
            ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIi.AAAA", "the claims part is not a JSON object", 1),
            ("eyJhbGciOiJIUzI1NiJ9.e30.A!", "the signature is not base64url", 1),
            ("eyJhbGciOiJIUzI1NiJ9.e30.AB", "the signature is not base64url", 1),
            ("eyJhbGciOiJIUzI1NiJ9.Zm9v.AAAA", "JWS", 0),
            ("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.Zm9v.AAAA", "is not a JSON object", 1),
            ("eyJhbGciOiJkaXIiLCJlbmMiOiJBMTI4R0NNIn0..AAAA.AAAA.AAAA", "encrypted JWT (JWE)", 0),
            ("eyJhbGciOiJIUzI1NiJ9.AAAA.AAAA.AAAA.AAAA", "the header lacks alg or enc", 1),
        ]
    )
    func shapes(token: String, message: String, exit: Int32) async throws {
        try await withBench { bench in
            let program = try bench.authtop(["inspect"], reading: token)
            #expect(try await program.ended() == .exit(exit))
            #expect(program.output.text.contains(message))
        }
    }

    @Test("shows a token in a token, and the parts of an encrypted one")
    func nested() async throws {
        try await withBench { bench in
            let inner = MadeToken(endsIn: 60).text
            let outer = MadeToken(inner, header: #"{"alg":"RS256","cty":"JWT"}"#).text
            let program = try bench.authtop(["inspect"], reading: outer)
            #expect(try await program.ended() == .exit(0))
            let lines = program.output.lines
            #expect(lines.first?.hasSuffix("its payload is another token") == true)
            #expect(lines.contains("    alg         HS256"), "\(program.output.text)")
            #expect(lines.contains("    sub         9"), "\(program.output.text)")
            let encrypted = MadeToken.part(#"{"alg":"RSA-OAEP","enc":"A256GCM","kid":"e1"}"#)
            let other = try bench.authtop(
                ["inspect", "--json"],
                reading: "\(encrypted).AAAAAA.AAAA.AAA.AA"
            )
            #expect(try await other.ended() == .exit(0))
            let object = try JSON.object(in: other.output.text)
            #expect(object["format"]?.text == "JWE")
            #expect(object["header"]?["kid"]?.text == "e1")
            #expect(object["parts"]?["encryptedKey"]?.number == 4)
            #expect(object["parts"]?["authenticationTag"]?.number == 1)
        }
    }

    @Test("never takes a token from an argument")
    func argument() async throws {
        try await withBench { bench in
            let program = try bench.authtop(["inspect", "eyJhbGciOiJIUzI1NiJ9.e30.AAAA"])
            #expect(try await program.ended() == .exit(2))
            #expect(program.errors.text.contains("is visible in ps"))
            #expect(program.errors.text.contains("eyJ") == false)
        }
    }

    @Test("says how a file is read that is named in place of a token")
    func file() async throws {
        try await withBench { bench in
            let path = try bench.write("{}", to: "capture.har")
            let program = try bench.authtop(["inspect", path])
            #expect(try await program.ended() == .exit(2))
            #expect(program.errors.text.contains("authtop replay \(path)"))
            #expect(program.errors.text.contains("visible in ps") == false)
        }
    }

    /// Where the public keys are.
    enum KeyPlace: CaseIterable {
        case file
        case url
    }

    @Test(
        "checks the signature by public keys, with or without a kid",
        arguments: KeyPlace.allCases
    )
    func signature(place: KeyPlace) async throws {
        try await withBench { bench in
            let key = P256.Signing.PrivateKey()
            let point = key.publicKey.rawRepresentation
            let (x, y) = (MadeToken.encoded(point.prefix(32)), MadeToken.encoded(point.suffix(32)))
            let jwk = #"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)"}"#
            let set = #"{"keys":[{"kty":"AKP","kid":"old"},\#(jwk)]}"#
            let keys = try keep(set, in: place, of: bench)
            let end = Int(Date().timeIntervalSince1970) + 600
            let head = MadeToken.part(#"{"alg":"ES256","kid":"k1"}"#)
            let message = head + "." + MadeToken.part(#"{"exp":\#(end)}"#)
            let bytes = try key.signature(for: Data(message.utf8)).rawRepresentation
            let forged = head + "." + MadeToken.part(#"{"exp":\#(end + 1)}"#)
            let signature = MadeToken.encoded(bytes)
            for (text, message, exit) in [
                ("\(message).\(signature)", "signature   valid", Int32(0)),
                ("\(forged).\(signature)", "signature   invalid", 1),
                (MadeToken(endsIn: 60).text, "HS256 needs the shared secret", 1),
            ] {
                let program = try bench.authtop(["inspect", "--jwks", keys], reading: text)
                #expect(try await program.ended() == .exit(exit), "\(program.errors.text)")
                #expect(program.output.text.contains(message), "\(program.output.text)")
                #expect(program.output.text.contains("left out key old"))
            }
        }
    }

    @Test("takes a coordinate without the zero bytes that it begins with")
    func shortCoordinate() async throws {
        try await withBench { bench in
            var key = P256.Signing.PrivateKey()
            while key.publicKey.rawRepresentation.first != 0 { key = P256.Signing.PrivateKey() }
            let point = key.publicKey.rawRepresentation
            let x = MadeToken.encoded(point.prefix(32).drop { $0 == 0 })
            let y = MadeToken.encoded(point.suffix(32))
            let keys = try keep(
                #"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)"}"#,
                in: .file,
                of: bench
            )
            let end = Int(Date().timeIntervalSince1970) + 600
            let message =
                MadeToken.part(#"{"alg":"ES256"}"#) + "." + MadeToken.part(#"{"exp":\#(end)}"#)
            let bytes = try key.signature(for: Data(message.utf8)).rawRepresentation
            let program = try bench.authtop(
                ["inspect", "--jwks", keys],
                reading: "\(message).\(MadeToken.encoded(bytes))"
            )
            #expect(try await program.ended() == .exit(0), "\(program.errors.text)")
            #expect(program.output.text.contains("signature   valid"), "\(program.output.text)")
        }
    }

    @Test(
        "says which elliptic key cannot be used",
        arguments: ["AAAA", "_____________________________________________w"]
    )
    func noPoint(x: String) async throws {
        try await withBench { bench in
            let set = #"{"kty":"EC","crv":"P-256","kid":"k7","x":"\#(x)","y":"AAAA"}"#
            let keys = try keep(set, in: .file, of: bench)
            let text = MadeToken(#"{"sub":"1"}"#, header: #"{"alg":"ES256"}"#).text
            let program = try bench.authtop(["inspect", "--jwks", keys], reading: text)
            #expect(try await program.ended() == .exit(1))
            let message = "left out key k7: x and y are no point of P-256"
            #expect(program.output.text.contains(message), "\(program.output.text)")
        }
    }

    private func keep(_ set: String, in place: KeyPlace, of bench: Bench) throws -> String {
        switch place {
        case .file: return try bench.write(set, to: "keys.json")
        case .url:
            let path = "/.well-known/jwks.json?version=2"
            let server = bench.keep(
                try LoopbackServer { request in
                    request.target == path
                        ? Answers.json(200, set) : Answers.html(404, "<html>no</html>")
                }
            )
            return "http://127.0.0.1:\(server.port)\(path)"
        }
    }

    @Test("says when the keys cannot be had", arguments: [true, false])
    func unreachableKeys(answers: Bool) async throws {
        try await withBench { bench in
            let server = bench.keep(try LoopbackServer { _ in Answers.json(503, "{}") })
            // There is no listener on port 1.
            let place = "http://127.0.0.1:\(answers ? server.port : 1)/keys"
            let program = try bench.authtop(
                ["inspect", "--jwks", place],
                reading: MadeToken(endsIn: 60).text
            )
            #expect(try await program.ended() == .exit(3))
            let message = answers ? "answered 503" : "refused"
            #expect(program.errors.text.contains("\(place): "))
            #expect(program.errors.text.contains(message), "\(program.errors.text)")
        }
    }

    @Test(
        "says which place of keys is none",
        arguments: ["http://example.com/keys", "/etc/passwd"]
    )
    func noKeys(place: String) async throws {
        try await withBench { bench in
            let program = try bench.authtop(
                ["inspect", "--jwks", place],
                reading: MadeToken(endsIn: 60).text
            )
            #expect(try await program.ended() == .exit(2))
            #expect(program.errors.text.contains(place))
        }
    }
}
