import Basics
import Foundation
import Platform
import Profiles
import Testing

@testable import authtop

@Suite("What programs are told of a token")
struct TokenContractTests {
    private static let end = 1_620_499_962
    private static let idToken = MadeToken(#"{"sub":"9","exp":1520263830}"#).text

    private static func token(
        _ kind: FreshToken.Kind = .access,
        access: String = MadeToken(#"{"sub":"9"}"#).text,
        end: Double? = Double(end) + 0.9,
        captures: [AWSCapture: String] = [:],
        dialect name: String = "oauth2"
    ) throws -> FreshToken {
        let values = captures.map { ($0.key.rawValue, Secret($0.value)) }
        let dialect = try #require(Dialect.builtIn(named: name))
        return try #require(
            FreshToken(
                kind,
                access: FreshToken.Part(
                    secret: Secret(access),
                    end: end.map(Date.init(timeIntervalSince1970:))
                ),
                id: FreshToken.Part(idToken: Secret(idToken)),
                captures: CapturedValues(Dictionary(uniqueKeysWithValues: values)),
                dialect: dialect
            )
        )
    }

    private static func text(
        _ form: TokenForm,
        of token: FreshToken,
        in variables: [String: String] = [:]
    ) throws -> String {
        try TokenContract(form, of: token.kind, in: variables).text(of: token, "acme")
    }

    private static func json(
        _ form: TokenForm,
        of token: FreshToken,
        in variables: [String: String] = [:]
    ) throws -> JSONValue {
        let text = try text(form, of: token, in: variables)
        return try #require(JSONValue(parsing: Array(text.utf8)))
    }

    @Test("plain is the token, and header the header of a request")
    func plain() throws {
        let token = try Self.token(access: "a-1")
        #expect(try Self.text(.plain, of: token) == "a-1")
        #expect(try Self.text(.header, of: token) == "Authorization: Bearer a-1")
        #expect(try Self.text(.plain, of: Self.token(.id)) == Self.idToken)
    }

    @Test("json has the names of OAuth, and nothing that is not known")
    func names() throws {
        let json = try Self.json(.json, of: Self.token(access: "a-1"))
        #expect(
            json == [
                "access_token": "a-1", "token_type": "Bearer",
                "expires_at": .integer(Int64(Self.end)), "id_token": .string(Self.idToken),
            ]
        )
        #expect(try Self.json(.json, of: Self.token(end: nil))["expires_at"] == nil)
    }

    @Test(
        "exec-credential is an ExecCredential of the version that the client speaks",
        arguments: [nil, "v1", "v1beta1"]
    )
    func execCredential(version: String?) throws {
        let name = "client.authentication.k8s.io/\(version ?? "v1")"
        let info = #"{"apiVersion":"\#(name)","kind":"ExecCredential","spec":{"interactive":true}}"#
        let json = try Self.json(
            .execCredential,
            of: Self.token(.id),
            in: version == nil ? [:] : ["KUBERNETES_EXEC_INFO": info]
        )
        #expect(
            json == [
                "apiVersion": .string(name), "kind": "ExecCredential",
                "status": [
                    "token": .string(Self.idToken), "expirationTimestamp": "2018-03-05T15:30:30Z",
                ],
            ]
        )
    }

    @Test(
        "another version, or what is none, is a mistake",
        arguments: [
            (
                #"{"apiVersion":"client.authentication.k8s.io/v1alpha1"}"#,
                "client.authentication.k8s.io/v1alpha1\", expected client.authentication.k8s.io/v1 "
                    + "or client.authentication.k8s.io/v1beta1"
            ),
            ("{}", "expected an ExecCredential in JSON with an apiVersion"),
            ("x", "expected an ExecCredential in JSON with an apiVersion"),
        ]
    )
    func unknownVersion(info: String, message: String) throws {
        let failure = #expect(throws: CommandFailure.self) {
            try TokenContract(.execCredential, of: .id, in: ["KUBERNETES_EXEC_INFO": info])
        }
        #expect(failure?.exit == .badInput)
        #expect(failure?.message.contains(message) == true)
    }

    @Test("aws is what the answers brought for it, and nothing without one of them")
    func aws() throws {
        let values: [AWSCapture: String] = [
            .accessKeyID: "ASIAEXAMPLE", .secretAccessKey: "wJalr", .sessionToken: "FwoG",
        ]
        let json = try Self.json(.aws, of: Self.token(captures: values))
        #expect(
            json == [
                "Version": 1, "AccessKeyId": "ASIAEXAMPLE", "SecretAccessKey": "wJalr",
                "SessionToken": "FwoG", "Expiration": "2021-05-08T18:52:42Z",
            ]
        )
        for missing in AWSCapture.allCases {
            let token = try Self.token(captures: values.filter { $0.key != missing })
            let failure = #expect(throws: CommandFailure.self) { try Self.text(.aws, of: token) }
            #expect(failure?.exit == .badInput)
            #expect(failure?.message.contains("brings \(missing.rawValue):") == true)
        }
        let endless = try Self.token(end: nil, captures: values)
        let failure = #expect(throws: CommandFailure.self) { try Self.text(.aws, of: endless) }
        #expect(failure?.message.contains("nothing says when") == true)
        let dialect = try #require(Dialect.builtIn(named: "oauth2"))
        #expect(throws: CommandFailure.self) { try TokenContract.aws.check(dialect, "acme") }
    }

    @Test(
        "gcloud is an executable's answer, with the type that is asked for",
        arguments: [
            (FreshToken.Kind.id, nil, "id_token"), (.access, nil, "jwt"), (.id, "jwt", "jwt"),
        ] as [(FreshToken.Kind, String?, String)]
    )
    func gcloud(kind: FreshToken.Kind, asked: String?, type: String) throws {
        let prefix = "urn:ietf:params:oauth:token-type:"
        let token = try Self.token(kind)
        let json = try Self.json(
            .gcloud,
            of: token,
            in: asked.map { ["GOOGLE_EXTERNAL_ACCOUNT_TOKEN_TYPE": prefix + $0] } ?? [:]
        )
        #expect(
            json == [
                "version": 1, "success": true, "token_type": .string(prefix + type),
                "id_token": .string(token.asked.secret.reveal()),
                "expiration_time": .integer(kind == .id ? 1_520_263_830 : Int64(Self.end)),
            ]
        )
    }

    @Test("gcloud takes no opaque token, and has no SAML response")
    func notForGoogle() throws {
        let opaque = try Self.token(access: "a-1")
        let failure = #expect(throws: CommandFailure.self) { try Self.text(.gcloud, of: opaque) }
        #expect(failure?.message.contains("add --id-token") == true)
        let type = "urn:ietf:params:oauth:token-type:saml2"
        #expect(throws: CommandFailure.self) {
            try TokenContract(
                .gcloud,
                of: .id,
                in: ["GOOGLE_EXTERNAL_ACCOUNT_TOKEN_TYPE": type]
            )
        }
    }

    @Test("a failure is told to Google's libraries in their form")
    func failure() throws {
        let text = TokenContract.googleText(of: CommandFailure(.notSo, "acme: signed out"))
        #expect(
            JSONValue(parsing: Array(text.utf8)) == [
                "version": 1, "success": false, "code": "1", "message": "acme: signed out",
            ]
        )
    }

    @Test("an ID token is replaced a tenth of its life before its end, at most 30 s")
    func replacement() {
        func seconds(_ claims: String) -> Double? {
            FreshToken.Part(idToken: Secret(MadeToken(claims).text)).replacement?
                .timeIntervalSince1970
        }
        #expect(seconds(#"{"iat":1000,"exp":1100}"#) == 1090)
        #expect(seconds(#"{"iat":1000,"exp":4600}"#) == 4570)
        #expect(seconds(#"{"exp":4600}"#) == 4570)
        #expect(seconds(#"{"sub":"9"}"#) == nil)
    }

    // MARK: - git

    @Test("git gets a name and a password with its end, in lines")
    func git() throws {
        let request = try GitCredentialRequest(
            parsing: "capability[]=authtype\nprotocol=https\nhost=git.example\n\nafter the end"
        )
        let token = try Self.token(access: "a=1")
        #expect(
            try TokenContract(.git, of: .access, in: [:], for: request).text(of: token, "acme")
                == "username=oauth2\npassword=a=1\npassword_expiry_utc=\(Self.end)"
        )
        let named = try GitCredentialRequest(parsing: "username=ada\n")
        let answer = try named.answer(Self.token(access: "a-1", end: nil), "acme")
        #expect(answer == "username=ada\npassword=a-1")
    }

    @Test(
        "git's question is for the profile's own host, port and protocol only",
        arguments: [
            ("protocol=https\nhost=git.example\n", true),
            ("protocol=https\nhost=GIT.example:443\n", true),
            ("protocol=https\nhost=git.example\npath=a/b.git\n", true),
            ("protocol=http\nhost=git.example\n", false),
            ("protocol=https\nhost=git.example:8443\n", false),
            ("protocol=https\nhost=evil.example\n", false),
            ("protocol=https\nhost=git.example/x\n", false),
            ("protocol=https\nhost=x@git.example\n", false), ("protocol=https\n", false),
            ("host=git.example\n", false), ("", false),
        ]
    )
    func hosts(text: String, isFor: Bool) throws {
        let origin = try BackendOrigin(parsing: "https://git.example/api")
        #expect(try GitCredentialRequest(parsing: text).isFor(origin) == isFor)
    }

    @Test("a line that git would not write, and a token that git would not read, are mistakes")
    func brokenLines() throws {
        let failure = #expect(throws: CommandFailure.self) {
            try GitCredentialRequest(parsing: "protocol=https\nnonsense\n")
        }
        #expect(failure?.message.hasPrefix("stdin:2: expected name=value") == true)
        let request = try GitCredentialRequest(parsing: "")
        let token = try Self.token(access: "a\npassword_expiry_utc=1")
        #expect(throws: CommandFailure.self) { try request.answer(token, "acme") }
    }
}
