import Basics
import FoundationEssentials

/// A pair of tokens that the user provides, as an app or its backend stored it.
///
/// Only absolute expiries are used, since the start of a lifetime is unknown.
package struct PastedPair: Sendable, Hashable {
    /// The size of the largest text that is read, in bytes.
    package static let sizeLimit = 256 * 1024

    package enum Problem: Error, Sendable, Hashable {
        case empty
        case noAccessToken
        /// A token cannot be used; named by its kind, never by its text.
        case unusable(token: String)
    }

    package let tokens: IssuedTokens
    /// Whether there was a relative lifetime, which is ignored because its start is unknown.
    package let hasLifetime: Bool

    /// Parses JSON, lines such as `accessToken = …`, or two lines: the access token, then the
    /// refresh token.
    ///
    /// - Parameters:
    ///   - text: The text, in the format of the dialect's responses or with common names, such as
    ///     those under which apps store tokens.
    ///   - dialect: The dialect, whose format is tried first, and whose documented lifetimes are
    ///     used last.
    /// - Throws: `Problem`, which quotes no part of the text.
    package init(parsing text: String, by dialect: Dialect) throws(Problem) {
        let names = StoredNames(recognition: dialect.recognition)
        let bytes = Array(text.utf8)
        guard !bytes.allSatisfy({ $0 <= 0x20 }) else { throw .empty }
        var found: IssuedTokens?
        if let json = JSONValue(parsing: bytes) {
            found =
                Self.read(bytes, by: dialect)
                ?? Self.read(json, under: names, by: dialect.lifetimes)
        } else if let json = names.object(in: text) {
            found = Self.read(json, under: names, by: dialect.lifetimes)
        } else {
            let lines = text.lines.map(Self.bare)
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

    // MARK: - Formats

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

    /// Reads common names, at the top or up to two containers below it.
    private static func read(
        _ json: JSONValue,
        under names: StoredNames,
        by lifetimes: DocumentedLifetimes,
        depth: Int = 0
    ) -> IssuedTokens? {
        if let access = text(names.access, in: json) {
            var tokens = issued(access, text(names.refresh, in: json))
            if let seconds = StoredNames.first(names.lifetimes, in: json, as: \.numberValue) {
                tokens.accessEvidence.append(.lifetime(seconds: seconds))
            }
            addEnds(StoredEnds(in: json, under: names), to: &tokens, by: lifetimes)
            return tokens
        }
        guard depth < 2 else { return nil }
        let tokens = names.recognition.tokens
        let records = tokens.records.compactMap { json.value(at: $0)?.stringValue }
        let inner =
            tokens.containers.compactMap { json.value(at: $0) }
            + records.compactMap { JSONValue(parsing: Array($0.utf8)) }
        return inner.lazy.compactMap { read($0, under: names, by: lifetimes, depth: depth + 1) }
            .first
    }

    private static func text(_ names: [String], in json: JSONValue) -> String? {
        StoredNames.first(names, in: json) { value in
            value.stringValue.map(bare).flatMap { $0.isEmpty ? nil : $0 }
        }
    }

    private static func addEnds(
        _ ends: StoredEnds,
        to tokens: inout IssuedTokens,
        by lifetimes: DocumentedLifetimes
    ) {
        let zones = ZoneInference(
            access: ends.access?.zoneless,
            refresh: ends.refresh?.zoneless,
            webTokenExpiry: JSONWebToken(reading: tokens.access.secret)?.expiresAt,
            lifetimes: lifetimes
        ).zones()
        if let end = ends.access { tokens.accessEvidence.append(end.evidence(zone: zones?.access)) }
        if let end = ends.refresh {
            tokens.refreshEvidence.append(end.evidence(zone: zones?.refresh))
        }
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
        [JSONWebToken(reading: secret)?.expiryEvidence].compactMap(\.self)
    }

    /// Returns the text without a leading `Bearer`, quotes and the comma of a list.
    package static func bare(_ text: some StringProtocol) -> String {
        var rest = Substring(text)
        func trim() {
            rest = rest.trimming { " \t\r\n,".utf8.contains($0) }
            for quote in ["\"", "'", "`"] where rest.utf8.count > 1 {
                guard let inner = rest.part(after: quote)?.part(upTo: quote) else { continue }
                rest = inner
                break
            }
        }
        trim()
        for prefix in ["authorization:", "bearer "] where rest.asciiLowercased.begins(with: prefix)
        {
            rest = Substring(rest.utf8.dropFirst(prefix.utf8.count))
            trim()
        }
        return String(rest)
    }

    // MARK: - Times

    /// Removes what counts from the issue of the token, and adds the documented lifetimes if
    /// nothing is left.
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
            case .instant, .cookieExpires, .inferredZone, .assumedZone, .unusable: evidence
            case .webToken(let end, _): .webToken(expiresAt: end, issuedAt: nil)
            case .lifetime, .cookieMaxAge, .assumedUnit, .documented: nil
            }
        }
        guard absolute.allSatisfy({ $0.unusable != nil }), let documented else { return absolute }
        return absolute + [.documented(seconds: documented)]
    }

    private static func check(_ secret: Secret, _ name: String) throws(Problem) {
        let isUsable =
            secret.byteCount <= TokenParser.longestToken
            && secret.reveal().utf8.allSatisfy { (0x21...0x7E).contains($0) }
        guard isUsable else { throw .unusable(token: name) }
    }
}

extension PastedPair.Problem: CustomStringConvertible {
    package var description: String {
        switch self {
        case .empty: "the input is empty: expected JSON, or lines with the tokens"
        case .noAccessToken:
            "no access token in it: expected JSON such as {\"access_token\": …, "
                + "\"refresh_token\": …}, lines such as accessToken = …, or two lines, access first"
        case .unusable(let token):
            "the \(token) token is over 64 KiB, or contains a character that is not allowed in a header"
        }
    }
}
