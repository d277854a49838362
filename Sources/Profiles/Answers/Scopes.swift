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
    package static func stated(in answer: JSONValue) -> [String]? {
        let found = members.lazy.map(answer.values).first { !$0.isEmpty }
        let texts = found?.compactMap(\.stringValue) ?? []
        guard !texts.isEmpty else { return nil }
        let words = texts.flatMap { $0.utf8.split { " ,".utf8.contains($0) } }
        return words.prefix(limit).map { String(Substring($0)) }
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

    private static let scopeName = "scope"
}
