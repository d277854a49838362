import Basics
import FoundationEssentials

/// A credential that a login requires, under the name that the login's template uses.
package struct CredentialSpec: Sendable, Hashable {
    package let name: String

    package init(name: String) {
        self.name = name
    }

    /// Whether it is hidden while it is typed, unless it is known to be harmless.
    package var isSecret: Bool {
        !Self.harmless.contains(name)
    }

    private static let harmless: Set<String> = [
        "client_id", "domain", "email", "login", "phone", "realm", "redirect_uri", "scope",
        "tenant", "user", "username",
    ]
}

/// One way to log in, for the sandbox.
package struct LoginOption: Sendable, Hashable {
    /// The names of its credentials, including the client's own.
    package var credentials: Set<String>
    /// Whether it issues refresh tokens; if not, the client logs in again instead of refreshing
    /// (RFC 6749 section 4.4.3).
    package var bringsRefreshToken: Bool

    package init(credentials: Set<String>, bringsRefreshToken: Bool) {
        self.credentials = credentials
        self.bringsRefreshToken = bringsRefreshToken
    }
}

/// A login without one of the dialect's credentials, or with an empty one.
package struct MissingCredential: Error, Sendable, Equatable, CustomStringConvertible {
    package let name: String

    package var description: String { "the credential \"\(name)\" is missing" }
}

/// The client's method of authentication (RFC 6749 section 2.3).
enum ClientAuthentication: String, Sendable, Hashable, CaseIterable {
    case none
    /// `Authorization: Basic`, with both parts form-encoded first.
    case basic
    /// The fields `client_id` and `client_secret`.
    case body
    /// The field `client_id` alone, for a client without a secret.
    case idOnly = "public"
    /// A token that the client signs with its private key (OpenID Connect Core section 9).
    case privateKey = "private_key_jwt"
    /// The same, signed with the client's secret.
    case secretKey = "client_secret_jwt"

    static let idName = "client_id"
    static let secretName = "client_secret"

    /// The names of the credentials that it requires.
    var credentialNames: [String] {
        switch self {
        case .none: []
        case .basic, .body, .secretKey: [Self.idName, Self.secretName]
        case .idOnly, .privateKey: [Self.idName]
        }
    }

    /// The signer of its assertions, or `nil` if it has none.
    private var signer: ClientAssertion.Signer? {
        switch self {
        case .none, .basic, .body, .idOnly: nil
        case .privateKey: .key
        case .secretKey: .secret
        }
    }

    /// The placeholders that the fields of a request may have; a client may always name itself.
    var placeholders: [String] { credentialNames.isEmpty ? [Self.idName] : credentialNames }

    /// The fields that it adds to the body, with placeholders for the credentials.
    var fields: [String: JSONValue] {
        guard self != .basic else { return [:] }
        if let signer {
            return [
                Self.idName: .string("{\(Self.idName)}"),
                ClientAssertion.typeName: .string(ClientAssertion.type),
                ClientAssertion.name: .string("{\(signer.valueName)}"),
            ]
        }
        return credentialNames.reduce(into: [:]) { $0[$1] = .string("{\($1)}") }
    }
}

/// The value of an `Authorization` header with the scheme Basic (RFC 7617).
enum BasicAuthentication {
    /// Returns the header, or `nil` if a credential is missing.
    static func header(_ values: [String: Secret]) -> WireHeader? {
        guard let id = values[ClientAuthentication.idName]?.reveal(), !id.isEmpty,
            let secret = values[ClientAuthentication.secretName]?.reveal()
        else { return nil }
        let pair = [id, secret].map(PercentEncoding.encode).joined(separator: ":")
        return WireHeader("Authorization", "Basic \(Data(pair.utf8).base64EncodedString())")
    }

    /// Returns the credentials in a header by name; empty if the scheme is another.
    static func values(in header: String) -> [String: String] {
        let parts = header.parts(at: " ", limit: 2)
        guard parts.count == 2, parts[0].asciiLowercased == "basic",
            let data = Data(base64Encoded: String(parts[1].trimmingBlanks))
        else { return [:] }
        let halves = String(decoding: data, as: UTF8.self)
            .parts(at: ":", limit: 2, keepsEmpty: true)
            .map { PercentEncoding.decode($0, plusIsSpace: true) }
        guard halves.count == 2 else { return [:] }
        return [
            ClientAuthentication.idName: halves[0], ClientAuthentication.secretName: halves[1],
        ]
    }
}
