import FoundationEssentials
import Tokens

/// A pair that a person gives, as an app or its backend has written it down.
///
/// Only absolute times count: nobody knows when a lifetime in it began.
package struct PastedPair: Sendable, Hashable {
    /// The most text that is looked into, in bytes.
    package static let sizeLimit = 256 * 1024

    package enum Problem: Error, Sendable, Hashable {
        case empty
        case noAccessToken
        /// Named by its kind, never by its text.
        case unusable(token: String)
    }

    package let tokens: IssuedTokens
    /// Whether there was a lifetime that counts from nobody knows when.
    package let hasLifetime: Bool

    /// Reads JSON, or two lines: the access token, then the refresh token.
    ///
    /// - Parameters:
    ///   - text: In the dialect's own shape of an answer, or with names that are usual.
    ///   - dialect: What it is read by first, and whose documented lifetimes count last.
    /// - Throws: What is wrong with the text, without a part of it.
    package init(parsing text: String, by dialect: Dialect) throws(Problem) {
        let bytes = Array(text.utf8)
        guard !bytes.allSatisfy({ $0 <= 0x20 }) else { throw .empty }
        var found: IssuedTokens?
        if let json = JSONValue(parsing: bytes) {
            found = Self.read(bytes, by: dialect) ?? Self.read(json)
        } else {
            let lines = text.split(whereSeparator: \.isNewline).map(Self.bare)
                .filter { !$0.isEmpty }
            guard let access = lines.first, lines.count <= 2 else { throw .noAccessToken }
            found = Self.issued(access, lines.dropFirst().first)
        }
        guard let found else { throw .noAccessToken }
        try Self.check(found.access.secret, "access")
        if let refresh = found.refresh { try Self.check(refresh.secret, "refresh") }
        hasLifetime = (found.accessEvidence + found.refreshEvidence).contains { evidence in
            if case .lifetime = evidence { true } else { false }
        }
        tokens = dialect.withSubject(Self.dated(found, by: dialect.lifetimes), hiding: .none)
    }

    // MARK: - Shapes

    private static func read(_ bytes: [UInt8], by dialect: Dialect) -> IssuedTokens? {
        let answer = WireResponse(
            status: 200,
            headers: [WireHeader("Content-Type", "application/json")],
            body: bytes
        )
        if case .issued(let tokens) = dialect.readLogin(answer) { return tokens }
        if case .issued(let tokens) = dialect.readRefresh(answer) { return tokens }
        return nil
    }

    private static let containers = ["data", "tokens", "session"]
    private static let accessNames = ["access_token", "accessToken", "token", "access", "jwt"]
    private static let refreshNames = ["refresh_token", "refreshToken", "refresh"]
    private static let lifetimeNames = ["expires_in", "expiresIn"]
    private static let instantNames = ["expires_at", "expiresAt"]

    /// Names that are usual, at the top or two containers below it.
    private static func read(_ json: JSONValue, depth: Int = 0) -> IssuedTokens? {
        if let access = text(accessNames, in: json) {
            var tokens = issued(access, text(refreshNames, in: json))
            if let seconds = lifetimeNames.lazy.compactMap({ json.value(at: $0)?.numberValue })
                .first
            {
                tokens.accessEvidence.append(.lifetime(seconds: seconds))
            }
            if let date = instantNames.lazy.compactMap({ json.value(at: $0).flatMap(instant) })
                .first
            {
                tokens.accessEvidence.append(.instant(date))
            }
            return tokens
        }
        guard depth < 2 else { return nil }
        return containers.lazy.compactMap {
            json.value(at: $0).flatMap { read($0, depth: depth + 1) }
        }
        .first
    }

    private static func text(_ names: [String], in json: JSONValue) -> String? {
        names.lazy.compactMap { json.value(at: $0)?.stringValue }.map(bare)
            .first { !$0.isEmpty }
    }

    /// Seconds or, where they would be beyond the year 5138, milliseconds since 1970, or ISO 8601
    /// with a zone.
    private static func instant(_ value: JSONValue) -> Date? {
        if let number = value.numberValue, number.isFinite, number > 0 {
            return Date(timeIntervalSince1970: number > 1e11 ? number / 1000 : number)
        }
        guard let timestamp = value.stringValue.flatMap(Timestamp.init(parsing:)),
            let offset = timestamp.zoneOffset
        else { return nil }
        return Date(timeIntervalSince1970: timestamp.local - offset)
    }

    private static func issued(_ access: String, _ refresh: String?) -> IssuedTokens {
        var tokens = IssuedTokens(
            access: AccessToken(Secret(access)),
            refresh: refresh.map { RefreshToken(Secret($0)) }
        )
        tokens.accessEvidence = statement(of: tokens.access.secret)
        tokens.refreshEvidence = tokens.refresh.map { statement(of: $0.secret) } ?? []
        return tokens
    }

    private static func statement(of secret: Secret) -> [ExpiryEvidence] {
        guard let end = JSONWebToken(reading: secret)?.expiresAt else { return [] }
        return [.webToken(expiresAt: end, issuedAt: nil)]
    }

    /// As people copy it: after `Bearer`, in quotes, with the comma of a list.
    package static func bare(_ text: some StringProtocol) -> String {
        var rest = Substring(text)
        func trim() {
            let blanks: Set<Character> = [" ", "\t", "\r", "\n", ","]
            while let first = rest.first, blanks.contains(first) { rest.removeFirst() }
            while let last = rest.last, blanks.contains(last) { rest.removeLast() }
            if rest.count > 1, let first = rest.first, first == rest.last, "\"'`".contains(first) {
                rest = rest.dropFirst().dropLast()
            }
        }
        trim()
        for prefix in ["authorization:", "bearer "] where rest.lowercased().hasPrefix(prefix) {
            rest = rest.dropFirst(prefix.count)
            trim()
        }
        return String(rest)
    }

    // MARK: - Times

    /// With what counts from the issue taken out, and the documented lifetimes where nothing is left.
    private static func dated(
        _ tokens: IssuedTokens,
        by lifetimes: DocumentedLifetimes
    ) -> IssuedTokens {
        var tokens = tokens
        tokens.accessEvidence = absolute(tokens.accessEvidence, or: lifetimes.access)
        tokens.refreshEvidence =
            tokens.refresh == nil ? [] : absolute(tokens.refreshEvidence, or: lifetimes.refresh)
        return tokens
    }

    private static func absolute(
        _ evidence: [ExpiryEvidence],
        or documented: Double?
    ) -> [ExpiryEvidence] {
        let absolute = evidence.compactMap { evidence -> ExpiryEvidence? in
            switch evidence {
            case .instant, .inferredZone: evidence
            case .webToken(let end, _): .webToken(expiresAt: end, issuedAt: nil)
            case .lifetime, .documented: nil
            }
        }
        guard absolute.isEmpty, let documented else { return absolute }
        return [.documented(seconds: documented)]
    }

    private static func check(_ secret: Secret, _ name: String) throws(Problem) {
        let isUsable =
            secret.byteCount <= TokenReading.longestToken
            && secret.reveal().utf8.allSatisfy { (0x21...0x7E).contains($0) }
        guard isUsable else { throw .unusable(token: name) }
    }
}

extension PastedPair.Problem: CustomStringConvertible {
    package var description: String {
        switch self {
        case .empty: "there is nothing in it: expected JSON, or two lines with the tokens"
        case .noAccessToken:
            "no access token in it: expected JSON such as {\"access_token\": …, "
                + "\"refresh_token\": …}, or two lines, access first"
        case .unusable(let token):
            "the \(token) token is over 64 KiB, or holds a character that no header may"
        }
    }
}
