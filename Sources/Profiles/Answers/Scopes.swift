package import Basics

/// The scopes of a token, as an answer or the token itself states them: words whose order means
/// nothing (RFC 6749 section 3.3).
package enum Scopes {
    /// The claims of a token that state them (RFC 9068 section 2.2.3), and that of several
    /// providers, mostly a list.
    package static let claims = ["scope", "scp"]

    /// The members of an answer that state them (RFC 6749 section 5.1, RFC 7662 section 2.2), and
    /// what others call a list of them.
    private static let members = ["scope", "scopes"]
    /// The most scopes of an answer that are read.
    private static let limit = 64

    /// Returns the scopes that an answer states, in its order, or `nil` if it states none.
    ///
    /// They are one text or a list; some servers put commas between the words.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - secrets: What the answer may repeat of secrets in a text; one with spaces would stand in several
    ///     words, where no word shows it.
    /// - Returns: The scopes, or `nil` if there are none, or a secret is among them.
    package static func stated(
        in answer: JSONValue,
        without secrets: (String) -> KnownSecrets = { _ in KnownSecrets() }
    ) -> [String]? {
        let found = members.lazy.map(answer.values).first { !$0.isEmpty }
        let texts = found?.compactMap(\.stringValue) ?? []
        guard !texts.isEmpty, !areSecret(texts, by: secrets) else { return nil }
        let words = texts.flatMap { $0.utf8.split { " ,".utf8.contains($0) } }
        // An empty text is no scope (section 3.3), and states none.
        return words.isEmpty ? nil : words.prefix(limit).map { String(Substring($0)) }
    }

    /// Whether texts have a secret in them, or have one together.
    package static func areSecret(
        _ texts: [String],
        by secrets: (String) -> KnownSecrets
    ) -> Bool {
        let text = texts.joined(separator: " ")
        return secrets(text).hiding(in: text) != text
    }

    /// Returns the scopes that the claims of a token state, or `nil` if they state none.
    package static func claimed(in claims: [String: JSONValue]) -> Set<String>? {
        switch Self.claims.lazy.compactMap({ claims[$0] }).first {
        case .array(let items)?: Set(items.compactMap(\.displayText).flatMap(words))
        case let value?: value.displayText.map { Set(words(of: $0)) }
        case nil: nil
        }
    }

    /// Returns the scopes of a text such as that of a request.
    package static func words(of text: String) -> [String] {
        text.parts(at: " ").map(String.init)
    }

    /// Returns the scopes that are missing among later ones, sorted: but for those of OpenID Connect, which
    /// say what a login brings, and are no rights of an access token.
    package static func lost(from earlier: Set<String>, to later: Set<String>) -> [String] {
        earlier.subtracting(later).subtracting(openID).sorted()
    }

    private static let openID: Set = [
        "openid", "profile", "email", "address", "phone", "offline_access", "offline",
        "offline.access", "refresh_token",
    ]

    /// Returns whether a text may be the scope of a request (RFC 6749 section 3.3).
    package static func isScope(_ text: String) -> Bool {
        let ranges: [ClosedRange<UInt8>] = [0x20...0x21, 0x23...0x5B, 0x5D...0x7E]
        return !words(of: text).isEmpty && text.utf8.count <= 1024
            && text.utf8.allSatisfy { byte in ranges.contains { $0.contains(byte) } }
    }
}

extension Dialect {
    /// Returns the dialect with a login for a scope in place of its own, or `nil` if its login is none
    /// of OAuth 2.0, which names one.
    package func loggingIn(for scope: String) -> Dialect? {
        var dialect = self
        if login.authorization != nil {
            dialect.login.authorization?.scope = scope
        } else if login.device != nil {
            dialect.login.device?.request.fields[Self.scopeName] = .string(scope)
        } else if login.request.fields["grant_type"] != nil {
            dialect.login.request.fields[Self.scopeName] = .string(scope)
        } else {
            return nil
        }
        return dialect
    }

    /// The scopes that a login asks for, or `nil` if it names none.
    var requestedScopes: [String]? {
        let request = login.device?.request ?? login.request
        let field = request.fields[Self.scopeName] ?? login.request.fields[Self.scopeName]
        let text = login.authorization?.scope ?? field?.stringValue
        return text.flatMap { PlaceholderText($0).names.isEmpty ? Scopes.words(of: $0) : nil }
    }

    /// Whether a refresh itself asks for a scope, which may be less than that of the session (RFC 6749
    /// section 6).
    package var refreshNamesScope: Bool { refresh?.request.fields[Self.scopeName] != nil }

    private static let scopeName = "scope"
}
