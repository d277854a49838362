import Basics
import Foundation
import Profiles

/// The values behind the gaps of the goldens: the moment of guide 000's answer, and one user.
struct Sample: Sendable {
    /// 2026-01-06T13:48:40Z.
    static let issuedAt = 1_767_707_320.0

    static let credentials: [String: Secret] = [
        "email": Secret("user@example.com"),
        "password": Secret("correct horse \"battery\" staple"),
        "code": Secret("123456"),
        "identity_token": Secret("apple.identity.token"),
        // As in RFC 6749.
        "username": Secret("johndoe"),
        "client_id": Secret("s6BhdRkqt3"),
        "client_secret": Secret("gX1fBat3bV"),
    ]

    let dialect: Dialect
    let access: AccessToken
    let refresh: RefreshToken

    init(_ dialect: Dialect) {
        self.dialect = dialect
        access = AccessToken(
            Self.token(
                dialect.tokens.access,
                opaque: "2YotnFZFEjr1zCsicMWpAA",
                lifetime: dialect.lifetimes.access ?? 3600
            )
        )
        refresh = RefreshToken(
            Self.token(
                dialect.tokens.refresh,
                opaque: "a1b2c3d4e5f6g7h8i9j0",
                lifetime: dialect.lifetimes.refresh ?? 86_400
            )
        )
    }

    /// The facts that a backend issues on login and on refresh.
    var facts: IssuedFacts {
        IssuedFacts(
            access: access,
            refresh: refresh,
            issuedAt: Self.issuedAt,
            accessLifetime: dialect.lifetimes.access ?? 3600,
            refreshLifetime: dialect.lifetimes.refresh ?? 86_400,
            user: user
        )
    }

    var factsWithoutRefresh: IssuedFacts {
        var facts = facts
        facts.refresh = nil
        return facts
    }

    var user: BackendUser {
        BackendUser(id: 123, email: "user@example.com", username: "melih")
    }

    /// Text with `{access}`, `{refresh}` and the credentials put in.
    func filling(_ text: String, as encoding: Encoding = .plain) -> String {
        var values = Self.credentials
        values["access"] = access.secret
        values["refresh"] = refresh.secret
        return values.reduce(text) { text, value in
            let revealed = value.value.reveal()
            return text.replacing(
                "{\(value.key)}",
                with: encoding.encoded(revealed)
            )
        }
    }

    /// The encoding of a value where it is put in.
    enum Encoding {
        case plain
        case json
        case form

        /// That of a message's body.
        init(_ headers: [WireHeader]) {
            let type = headers.first { $0.name.lowercased() == "content-type" }?.value ?? ""
            self = type.contains("form") ? .form : .json
        }

        /// RFC 3986 section 2.3.
        private static let unreserved = CharacterSet.alphanumerics
            .union(CharacterSet(charactersIn: "-._~"))

        func encoded(_ text: String) -> String {
            switch self {
            case .plain: text
            case .json: String(JSONValue.string(text).serialized.dropFirst().dropLast())
            case .form: text.addingPercentEncoding(withAllowedCharacters: Self.unreserved) ?? ""
            }
        }
    }

    private static func token(
        _ format: TokenFormat,
        opaque: String,
        lifetime: Double
    ) -> Secret {
        switch format {
        case .jwt: webToken(["exp": .number(issuedAt + lifetime), "iat": .number(issuedAt)])
        case .uuid: Secret("555dce3b-198f-426d-b0be-92d234747cc3")
        case .opaque: Secret(opaque)
        }
    }

    /// A token for user 123 with these claims, without a signature.
    static func webToken(_ claims: [String: JSONValue]) -> Secret {
        var claims = claims
        claims["sub"] = "123"
        let header = JSONValue.object(["alg": "HS256", "typ": "JWT"])
        let parts = [header, .object(claims)].map { Base64URL.encode(Array($0.serialized.utf8)) }
        return Secret((parts + ["c2lnbmF0dXJl"]).joined(separator: "."))
    }
}
