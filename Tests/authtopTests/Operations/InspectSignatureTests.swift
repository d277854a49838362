import Crypto
import Foundation
import TestSupport
import Testing

/// The key of RFC 7520, figure 4, without its `alg`.
private let hobbitonKey = """
    {"kty":"RSA","kid":"bilbo.baggins@hobbiton.example","use":"sig","e":"AQAB",\
    "n":"n4EPtAOCc9AlkeQHPzHStgAbgs7bTZLwUBZdR8_KuKPEHLd4rHVTeT-O-XV2jRojdNhxJWTDvNd7nqQ0VEiZQHz_\
    AJmSCpMaJMRBSFKrKb2wqVwGU_NsYOYL-QtiWN2lbzcEe6XC0dApr5ydQLrHqkHHig3RBordaZ6Aj-oBHqFEHYpPe7Tpe-\
    OfVfHd1E6cS6M1FZcD1NNLYD5lFHpPI9bTwJlsde3uhGqC0ZCuEHg8lhzwOHrtIQbS0FVbb9k3-tVTU4fg_3L_vniUFAKw\
    uCLqKnS2BYwdq_mzSnbLY7h_qixoR7jig3__kRhuaxwUkRz5iaiQkqgc5gHdrNP5zw"}
    """

/// The payload of RFC 7520, figure 7, which is a sentence.
private let hobbitonPayload = """
    SXTigJlzIGEgZGFuZ2Vyb3VzIGJ1c2luZXNzLCBGcm9kbywgZ29pbmcgb3V0IHlvdXIgZG9vci4gWW91IHN0ZXAgb250by\
    B0aGUgcm9hZCwgYW5kIGlmIHlvdSBkb24ndCBrZWVwIHlvdXIgZmVldCwgdGhlcmXigJlzIG5vIGtub3dpbmcgd2hlcmUg\
    eW91IG1pZ2h0IGJlIHN3ZXB0IG9mZiB0by4
    """

/// The token of RFC 7520, section 4.1.
private let hobbitonRS256 = """
    eyJhbGciOiJSUzI1NiIsImtpZCI6ImJpbGJvLmJhZ2dpbnNAaG9iYml0b24uZXhhbXBsZSJ9.\(hobbitonPayload).\
    MRjdkly7_-oTPTS3AXP41iQIGKa80A0ZmTuV5MEaHoxnW2e5CZ5NlKtainoFmKZopdHM1O2U4mwzJdQx996ivp83xuglII\
    7PNDi84wnB-BDkoBwA78185hX-Es4JIwmDLJK3lfWRa-XtL0RnltuYv746iYTh_qHRD68BNt1uSNCrUCTJDt5aAE6x8wW1\
    Kt9eRo4QPocSadnHXFxnt8Is9UzpERV0ePPQdLuW3IS_de3xyIrDaLGdjluPxUAhb6L2aXic1U12podGU0KLUQSE_oI-Zn\
    mKJ3F4uOZDnd6QZWJushZ41Axf_fcIe8u9ipH84ogoree7vjbU5y18kDquDg
    """

/// The token of RFC 7520, section 4.2.
private let hobbitonPS384 = """
    eyJhbGciOiJQUzM4NCIsImtpZCI6ImJpbGJvLmJhZ2dpbnNAaG9iYml0b24uZXhhbXBsZSJ9.\(hobbitonPayload).\
    cu22eBqkYDKgIlTpzDXGvaFfz6WGoz7fUDcfT0kkOy42miAh2qyBzk1xEsnk2IpN6-tPid6VrklHkqsGqDqHCdP6O8TTB5\
    dDDItllVo6_1OLPpcbUrhiUSMxbbXUvdvWXzg-UD8biiReQFlfz28zGWVsdiNAUf8ZnyPEgVFn442ZdNqiVJRmBqrYRXe8\
    P_ijQ7p8Vdz0TTrxUeT3lm8d9shnr2lfJT8ImUjvAA2Xez2Mlp8cBE5awDzT0qI0n6uiP1aCN_2_jLAeQTlqRHtfa64QQS\
    UmFAAjVKPbByi7xho0uTOcbH510a6GYmJUAfmWjwZ6oD4ifKo8DYM-X72Eaw
    """

@Suite("authtop inspect: signatures", .programs)
struct InspectSignatureTests {
    /// A token and the keys to verify it with.
    struct Case: CustomTestStringConvertible {
        let name: String
        let keys: String
        let token: String
        let message: String
        var exit: Int32 = 0

        var testDescription: String { name }
    }

    static let documented = [
        Case(
            name: "HS256, RFC 7515 appendix A.1",
            keys: """
                {"kty":"oct","k":"AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4h\
                cgUuTwjAzZr1Z9CAow"}
                """,
            token: """
                eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAs\
                DQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1\
                gFWFOEjXk
                """,
            message: "signature valid"
        ),
        Case(
            name: "RS256, RFC 7520 section 4.1",
            keys: #"{"keys":[\#(hobbitonKey)]}"#,
            token: hobbitonRS256,
            message: "signature valid, by key bilbo.baggins@hobbiton.example"
        ),
        Case(
            name: "PS384, RFC 7520 section 4.2",
            keys: hobbitonKey,
            token: hobbitonPS384,
            message: "signature valid"
        ),
        Case(
            name: "a key that is for another algorithm",
            keys: hobbitonKey.replacing(#""kty""#, with: #""alg":"RS256","kty""#),
            token: hobbitonPS384,
            message: "not verified: key bilbo.baggins@hobbiton.example signed it, but is for RS256",
            exit: 1
        ),
        Case(
            name: "another payload",
            keys: hobbitonKey,
            token: hobbitonRS256.replacing(".SXT", with: ".SXU"),
            message: "signature invalid: none of the keys signed this",
            exit: 1
        ),
        Case(
            name: "a shared secret that is a public key in PEM format",
            keys: """
                {"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"},\
                {"kty":"oct","k":"LS0tLS1CRUdJTiBQVUJMSUMgS0VZLS0tLS0KTUNvd0JRWURLMlZ3QXlFQTExcVlBWUt4Q3JmVlMvN1R5V1FI\
                T2c3aGN2UGFwaU1scndJYWFQY0hVUm89Ci0tLS0tRU5EIFBVQkxJQyBLRVktLS0tLQo"}]}
                """,
            token: """
                eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.WNzCq358y-yCm_mVEPMMHRpDmgmc9-ZsCuKz04wsJro
                """,
            message: "not verified: a key signed it, but it is a public key",
            exit: 1
        ),
        Case(
            name: "a shared secret that is a public key in DER format",
            keys: """
                {"kty":"oct","k":"MCowBQYDK2VwAyEA11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}
                """,
            token: """
                eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.LtLqq2F-DdnC8yJX8gYdNsT7MEM1r_z053SpK9CefQw
                """,
            message: "not verified: a key signed it, but it is a public key",
            exit: 1
        ),
        Case(
            name: "a public key in the place of the secret",
            keys: """
                {"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"},\
                {"kty":"oct","k":"BDpxh3TFcr2KJa2-sb_NXAJWrhHOz5-cP5JdDlK-r4k"}]}
                """,
            token: """
                eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.WNzCq358y-yCm_mVEPMMHRpDmgmc9-ZsCuKz04wsJro
                """,
            message: "signature invalid: none of the keys signed this",
            exit: 1
        ),
        Case(
            name: "one of two keys of one name, the other of which is weak (CVE-2017-15361)",
            keys: """
                {"keys":[{"kty":"RSA","kid":"bilbo.baggins@hobbiton.example","e":"Aw","n":"kZQQoBbSVlBKCTdAAcYn\
                wYiugPUQjuEV1xi5HaQ0esXnPYaA9B-tj4Dns09jKPfiKxEAcFbWYjOaZE3DEjuD6DACn8zvh8Pxltrn7Lhk\
                BHiowDnSvIFGRRojnCI2ezIVa8KTqwXCYMp32BH0yDbmlFzVrv1otH0qVIP_Y1z0cjBiHf_ABRH8FK82NuB7\
                I0JpYu8WQoHtDZgEH4Xo7M_cdXCQ4ObqzhHjPCmxBCRR5l3vK95uMe4YAzo-JT758Bcvge4kKkAwOyWbCKF5\
                NXZbswUgsSqcssD1mMeDRKswT1_WkcNvs3Wr0yHzfMQuWrkbmq46f-jrmJgy5Cou0HfVUQ"},\
                \(hobbitonKey)]}
                """,
            token: hobbitonRS256,
            message: "2 keys have the kid bilbo.baggins@hobbiton.example: each of them is tried"
        ),
        Case(
            name: "EdDSA, RFC 8037 appendix A.4",
            keys: """
                {"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}
                """,
            token: """
                eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-\
                09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg
                """,
            message: "signature valid"
        ),
    ]

    @Test("verifies what the standards have as examples", arguments: documented)
    func examples(row: Case) async throws {
        try await withBench { bench in
            let program = try bench.authtop(
                ["inspect", "--jwks", try bench.write(row.keys, to: "keys")],
                reading: row.token
            )
            #expect(try await program.ended() == .exit(row.exit), "\(program.errors.text)")
            let text = program.output.text.split(whereSeparator: \.isWhitespace)
                .joined(separator: " ")
            #expect(text.contains(row.message), "\(program.output.text)")
        }
    }

    @Test("says of weak keys that they are, and nothing of sound ones")
    func weakKeys() async throws {
        try await withBench { bench in
            for row in Self.documented {
                let program = try bench.authtop(
                    ["inspect", "--json", "--jwks", try bench.write(row.keys, to: "keys")],
                    reading: row.token
                )
                _ = try await program.ended()
                let isWeak = program.output.text.contains("\"keyRemarks\"")
                #expect(isWeak == row.name.contains("weak"), "\(row.name)")
                guard isWeak else { continue }
                #expect(program.output.text.contains("(ROCA): its private key can be computed"))
                #expect(program.output.text.contains("exponent 3: FIPS 186-5 requires 65537"))
            }
        }
    }

    /// A header that a token is signed with, whoever reads it.
    enum Header: String, CaseIterable {
        case plain = #"{"alg":"Ed25519"}"#
        case extended = #"{"alg":"Ed25519","crit":["b64"],"b64":true}"#
        case unencoded = #"{"alg":"Ed25519","crit":["b64"],"b64":false}"#
        case unlisted = #"{"alg":"Ed25519","b64":false}"#
        case unknown = #"{"alg":"Ed25519","crit":["exp"],"exp":1}"#
        case absent = #"{"alg":"Ed25519","crit":["b64"]}"#
        case empty = #"{"alg":"Ed25519","crit":[]}"#
        case noList = #"{"alg":"Ed25519","crit":"b64","b64":true}"#

        /// The text about the signature.
        var message: String {
            switch self {
            case .plain, .extended, .unencoded: "signature   valid"
            case .unlisted: "invalid: b64 is false, but crit does not name it"
            case .unknown: "invalid: crit names exp, which is not understood here"
            case .absent: "invalid: crit names b64, which the header lacks"
            case .empty, .noList: "invalid: crit is not a list of names"
            }
        }
    }

    @Test("takes a token for invalid whose crit is not understood", arguments: Header.allCases)
    func critical(header: Header) async throws {
        try await withBench { bench in
            let key = Curve25519.Signing.PrivateKey()
            let x = MadeToken.encoded(key.publicKey.rawRepresentation)
            let keys = #"{"kty":"OKP","crv":"Ed25519","alg":"EdDSA","x":"\#(x)"}"#
            let isEncoded = header != .unencoded && header != .unlisted
            let payload = isEncoded ? MadeToken.part("plain text") : "plain text"
            let message = MadeToken.part(header.rawValue) + "." + payload
            let signature = MadeToken.encoded(try key.signature(for: Data(message.utf8)))
            let program = try bench.authtop(
                ["inspect", "--jwks", try bench.write(keys, to: "keys")],
                reading: "\(message).\(signature)"
            )
            let isValid = header.message.hasSuffix("valid")
            #expect(try await program.ended() == .exit(isValid ? 0 : 1))
            #expect(program.output.text.contains(header.message), "\(program.output.text)")
            let other = try bench.authtop(["inspect"], reading: "\(message).\(signature)")
            #expect(try await other.ended() == .exit(isValid ? 0 : 1), "without keys")
            #expect(program.output.text.contains("⚠") == (header != .plain && header != .extended))
        }
    }

    @Test("takes public keys in PEM format, one behind the other")
    func publicKeys() async throws {
        try await withBench { bench in
            let elliptic = P384.Signing.PrivateKey()
            let edwards = Curve25519.Signing.PrivateKey()
            // The prefix of an Ed25519 key (RFC 8410).
            let prefix: [UInt8] = [
                0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0,
            ]
            let encoded = Data(prefix + edwards.publicKey.rawRepresentation).base64EncodedString()
            let keys = try bench.write(
                elliptic.publicKey.pemRepresentation + "\n" + elliptic.pemRepresentation + "\n"
                    + "-----BEGIN PUBLIC KEY-----\n\(encoded)\n-----END PUBLIC KEY-----\n",
                to: "keys.pem"
            )
            let tokens = try ["ES384", "EdDSA"].map { algorithm in
                let head = MadeToken.part(#"{"alg":"\#(algorithm)"}"#)
                let message = Data((head + "." + MadeToken.part("{}")).utf8)
                let signature =
                    algorithm == "ES384"
                    ? try elliptic.signature(for: message).rawRepresentation
                    : try edwards.signature(for: message)
                return String(decoding: message, as: UTF8.self) + "."
                    + MadeToken.encoded(signature)
            }
            for token in tokens {
                let program = try bench.authtop(["inspect", "--jwks", keys], reading: token)
                #expect(try await program.ended() == .exit(0), "\(program.errors.text)")
                let text = program.output.text
                #expect(text.contains("signature   valid"), "\(text)")
                #expect(text.contains("left out key no. 2: a private key"), "\(text)")
            }
        }
    }

    @Test(
        "takes certificates, alone or by the names of their keys",
        arguments: ["cert.pem", "certs.json", "pub.pem"]
    )
    func certificates(file: String) async throws {
        try await withBench { bench in
            let message =
                MadeToken.part(#"{"alg":"RS256","kid":"k1"}"#) + "." + MadeToken.part("{}")
            _ = try bench.write(message, to: "message")
            let script = """
                openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=keys -days 2 \
                    -keyout key.pem -out cert.pem
                openssl pkey -in key.pem -pubout -out pub.pem
                openssl dgst -sha256 -sign key.pem -out signature message
                """
            let maker = bench.keep(
                try Program(
                    "/bin/sh",
                    ["-ec", "cd \(bench.home); \(script)"],
                    environment: bench.environment
                )
            )
            #expect(try await maker.ended() == .exit(0), "\(maker.errors.text)")
            let folder = URL(filePath: bench.home)
            let certificate = try String(
                contentsOf: folder.appending(path: "cert.pem"),
                encoding: .utf8
            )
            let named = try JSONEncoder().encode(["k0": "-----BEGIN X-----", "k1": certificate])
            _ = try bench.write(String(decoding: named, as: UTF8.self), to: "certs.json")
            let signature = try Data(contentsOf: folder.appending(path: "signature"))
            let program = try bench.authtop(
                ["inspect", "--jwks", "\(bench.home)/\(file)"],
                reading: "\(message).\(MadeToken.encoded(signature))"
            )
            #expect(try await program.ended() == .exit(0), "\(program.errors.text)")
            let name = file == "certs.json" ? ", by key k1" : ""
            #expect(program.output.text.contains("signature   valid\(name)\n"))
        }
    }

    @Test("asks for a shared secret, and says if it is a short one")
    func sharedSecret() async throws {
        try await withBench { bench in
            let terminal = try await bench.terminal()
            let long = "a-secret-of-more-than-32-bytes-0123456789"
            for (secret, asked, message) in [
                ("short", "short", "a key signed it, but has 5 bytes"),
                (long, long, "signature   valid"),
                (long, MadeToken.encoded(Data(long.utf8)), "by key decoded from base64url"),
                (long, "another one", "none of the keys signed this"),
            ] {
                let text =
                    MadeToken.part(#"{"alg":"HS256"}"#) + "." + MadeToken.part(#"{"sub":"9"}"#)
                let mac = HMAC<SHA256>.authenticationCode(
                    for: Data(text.utf8),
                    using: SymmetricKey(data: Data(secret.utf8))
                )
                let file = try bench.write("\(text).\(MadeToken.encoded(Data(mac)))", to: "token")
                try await terminal.enter("clear; authtop inspect --secret-prompt < \(file)")
                try await terminal.seeHidden("Secret:")
                try await terminal.enter(asked)
                try await terminal.see(message)
            }
        }
    }

    @Test("does not take a secret that is published for evidence")
    func publishedSecret() async throws {
        try await withBench { bench in
            let keys = #"{"keys":[{"kty":"oct","kid":"s","k":"c2VjcmV0"}]}"#
            let server = bench.keep(try LoopbackServer { _ in Answers.json(200, keys) })
            let program = try bench.authtop(
                ["inspect", "--jwks", "http://127.0.0.1:\(server.port)/keys"],
                reading: MadeToken(endsIn: 60).text
            )
            #expect(try await program.ended() == .exit(1))
            let text = program.output.text
            #expect(text.contains("left out key s: a published secret proves nothing"), "\(text)")
        }
    }

    @Test(
        "says why a key is left out",
        arguments: [
            (
                #"{"kty":"RSA","e":"AQAB","n":"\#(String(repeating: "A", count: 30))_____w"}"#,
                "bits"
            ),
            (#"{"kty":"RSA","e":"AQAB"}"#, "n or e is missing"),
            (#"{"kty":"RSA","use":"enc"}"#, "for encryption"),
            (#"{"kty":"RSA","alg":"RSA-OAEP-256"}"#, "for encryption (RSA-OAEP-256)"),
            (#"{"kty":"RSA","key_ops":["encrypt"]}"#, "its key_ops do not have verify"),
            (#"{"kty":"EC","crv":"secp256k1"}"#, "unsupported curve (secp256k1)"),
            (#"{"kty":"OKP","crv":"X25519"}"#, "unsupported curve (X25519)"),
            (#"{"kty":"AKP"}"#, "unsupported type (AKP)"),
            (#"{"kty":"oct","k":""}"#, "k is no base64url, or empty"),
            (#""text""#, "no object"),
        ]
    )
    func leftOut(key: String, reason: String) async throws {
        try await withBench { bench in
            let program = try bench.authtop(
                ["inspect", "--jwks", try bench.write(#"{"keys":[\#(key)]}"#, to: "keys")],
                reading: MadeToken(endsIn: 60).text
            )
            #expect(try await program.ended() == .exit(1))
            #expect(program.output.text.contains("left out key no. 1: "), "\(program.output.text)")
            #expect(program.output.text.contains(reason), "\(program.output.text)")
        }
    }
}
