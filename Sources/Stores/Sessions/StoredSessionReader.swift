package import Basics
package import FoundationEssentials
import Profiles

/// Finds the sessions of a document.
package struct StoredSessionReader {
    private static let textLimit = 80
    /// The most sessions of a file.
    package static let sessionLimit = 500
    /// A shorter text is no token, such as a flag or a name.
    private static let shortestToken = 8

    /// What was found in a document.
    package struct Found: Sendable {
        package var sessions: [StoredSession] = []
        /// Whether there may be more than the limits.
        package var isCut = false
    }

    private let definition: StoreDefinition
    private let fingerprinter: Fingerprinter

    package init(_ definition: StoreDefinition, fingerprinter: Fingerprinter) {
        self.definition = definition
        self.fingerprinter = fingerprinter
    }

    /// Returns the sessions in the order of the file's definition.
    ///
    /// - Parameters:
    ///   - document: The contents.
    ///   - places: The places of sessions in it.
    ///   - file: The path.
    ///   - modified: The time of the file, from which a lifetime counts that has no other start.
    /// - Returns: At most `sessionLimit` sessions, and whether there are more.
    package func sessions(
        in document: JSONValue,
        at places: [SessionPlaces],
        file: String,
        modified: Date
    ) -> Found {
        let last = file.parts(at: "/").last ?? ""
        let stem = last.part(beforeLast: ".")
        let name = String(stem.isEmpty ? last : stem)
        var found = Found()
        var groups: [String: Int] = [:]
        for (number, places) in places.enumerated() {
            let whole = DocumentPath.Match(keys: [], value: document)
            let entries = places.each.map { $0.matches(in: document) } ?? [whole]
            if entries.count >= DocumentPath.matchLimit { found.isCut = true }
            for entry in entries where meets(places.conditions, entry) {
                let place = ([String(number)] + entry.keys).joined(separator: "/")
                let id = StoredSession.ID(file: file, place: place)
                guard let session = session(entry, of: whole, places, id, name, modified)
                else { continue }
                let group = text(places.group, entry, name, hiding: [])
                if let index = group.flatMap({ groups[$0] }) {
                    found.sessions[index] = found.sessions[index].merged(with: session)
                    continue
                }
                guard found.sessions.count < Self.sessionLimit else {
                    found.isCut = true
                    return found
                }
                if let group { groups[group] = found.sessions.count }
                found.sessions.append(session)
            }
        }
        return found
    }

    private func meets(
        _ conditions: [SessionPlaces.Condition],
        _ entry: DocumentPath.Match
    ) -> Bool {
        conditions.allSatisfy { condition in
            condition.place.matches(in: entry.value).first?.value.displayText == condition.value
        }
    }

    private func session(
        _ entry: DocumentPath.Match,
        of whole: DocumentPath.Match,
        _ places: SessionPlaces,
        _ id: StoredSession.ID,
        _ name: String,
        _ modified: Date
    ) -> StoredSession? {
        func secret(_ paths: [DocumentPath]) -> Secret? {
            paths.lazy.compactMap { $0.value(in: entry, file: name)?.displayText }
                .first { $0.utf8.count >= Self.shortestToken }
                .map(Secret.init)
        }
        let (access, refresh) = (secret(places.access), secret(places.refresh))
        let idToken = secret(places.idToken)
        let secrets = [access, refresh, idToken].compactMap(\.self)
        let isInKeyring =
            secrets.isEmpty
            && places.inKeyring.contains { path in
                [entry, whole].contains {
                    path.value(in: $0, file: name)?.displayText?.isEmpty == false
                }
            }
        guard !secrets.isEmpty || isInKeyring else { return nil }
        let began = end(places.issued, entry, name, lifeFrom: modified)
        let issued = began ?? modified
        let lifetime = places.lifetime.lazy
            .compactMap { $0.value(in: entry, file: name)?.numberValue }
            .first { $0.isFinite && $0 > 0 && $0 <= DurationParser.longest }
        let stated = end(places.accessEnd, entry, name, lifeFrom: nil)
        let lived = lifetime.map { issued.addingTimeInterval($0) }
        let isInferred = stated == nil && began == nil
        func token(
            _ secret: Secret?,
            _ end: Date?,
            isInferred: Bool = false,
            isLimit: Bool = false
        ) -> StoredToken? {
            secret.map {
                self.token($0, end, isInferred: isInferred, isLimit: isLimit, hiding: secrets)
            }
        }
        func text(_ paths: [DocumentPath]) -> String? {
            self.text(paths, entry, name, hiding: secrets)
        }
        let refreshEnd = end(places.refreshEnd, entry, name, lifeFrom: nil)
        let refreshLimit = end(places.refreshLimit, entry, name, lifeFrom: nil)
        return StoredSession(
            id: id,
            store: definition.name,
            title: definition.title,
            account: text(places.account) ?? user(of: idToken ?? access, hiding: secrets),
            issuer: text(places.issuer),
            client: text(places.client),
            access: token(access, stated ?? lived, isInferred: isInferred),
            refresh: token(refresh, refreshEnd ?? refreshLimit, isLimit: refreshEnd == nil),
            idToken: token(idToken, nil),
            renewal: definition.renewal,
            command: definition.command,
            isOneTime: definition.isOneTime,
            isRenewedFromElsewhere: places.isRenewedFromElsewhere,
            isInKeyring: isInKeyring
        )
    }

    private func token(
        _ secret: Secret,
        _ end: Date?,
        isInferred: Bool,
        isLimit: Bool,
        hiding secrets: [Secret]
    ) -> StoredToken {
        StoredToken(
            fingerprint: fingerprinter.fingerprint(of: secret),
            size: secret.byteCount,
            statedEnd: end,
            isInferred: isInferred && end != nil,
            isLimit: isLimit && end != nil,
            claims: JSONWebToken(reading: secret).map { token in
                func text(_ name: String) -> String? {
                    let value = token.claims[name]
                    let first = value?.displayText ?? Self.list(value)
                    return first.flatMap { Self.bounded($0, hiding: secrets) }
                }
                return StoredToken.Claims(
                    expiresAt: token.expiresAt.map(Date.init(timeIntervalSince1970:)),
                    issuedAt: token.issuedAt.map(Date.init(timeIntervalSince1970:)),
                    issuer: text("iss"),
                    subject: text("sub"),
                    audience: text("aud"),
                    scope: text("scope") ?? text("scp")
                )
            }
        )
    }

    /// Claims that name a user, the most readable first.
    private static let userClaims = ["email", "preferred_username", "upn", "unique_name", "name"]

    private func user(of secret: Secret?, hiding secrets: [Secret]) -> String? {
        guard let token = secret.flatMap(JSONWebToken.init(reading:)) else { return nil }
        return Self.userClaims.lazy.compactMap { token.claims[$0]?.stringValue }
            .first { !$0.isEmpty }
            .flatMap { Self.bounded($0, hiding: secrets) }
    }

    private func text(
        _ paths: [DocumentPath],
        _ entry: DocumentPath.Match,
        _ name: String,
        hiding secrets: [Secret]
    ) -> String? {
        for path in paths {
            let text = path.value(in: entry, file: name)?.displayText ?? ""
            guard !text.isEmpty else { continue }
            let shown = path.isFileName ? text : withFingerprints(in: text)
            return Self.bounded(shown, hiding: secrets)
        }
        return nil
    }

    /// Returns a text with the fingerprints of the words in it that may be tokens.
    private func withFingerprints(in text: String) -> String {
        func isOfWord(_ byte: UInt8) -> Bool {
            byte.isAlphanumeric || Self.separators.contains(byte)
        }
        var result = ""
        var rest = Substring(text).utf8
        while !rest.isEmpty {
            let gap = rest.prefix { !isOfWord($0) }
            result += String(Substring(gap))
            rest = rest.dropFirst(gap.count)
            let word = rest.prefix(while: isOfWord)
            rest = rest.dropFirst(word.count)
            let text = String(Substring(word))
            result +=
                Self.mayBeToken(text)
                ? "\(fingerprinter.fingerprint(of: Secret(text)))" : text
        }
        return result
    }

    private static let separators: [UInt8] = [UInt8(ascii: "_"), UInt8(ascii: "-")]

    /// Returns whether a word may be a token, as where a URL has one in place of the user.
    ///
    /// Names are long because they consist of several words: a long one without separators is no name,
    /// and neither are letters of both cases and digits in one.
    static func mayBeToken(_ word: String) -> Bool {
        guard word.utf8.count >= 20 else { return false }
        return word.utf8.split(whereSeparator: separators.contains).contains { part in
            let hasDigits = part.contains(where: \.isDigit)
            let hasLetters = part.contains(where: \.isLetter)
            let hasBothCases =
                part.contains { $0.isLetter && $0 & 0x20 == 0 }
                && part.contains { $0.isLetter && $0 & 0x20 != 0 }
            return part.count >= 24 || part.count >= 12 && hasDigits && hasLetters
                || part.count >= 4 && hasDigits && hasBothCases
        }
    }

    private static func list(_ value: JSONValue?) -> String? {
        guard case .array(let elements)? = value else { return nil }
        return elements.prefix(8).compactMap(\.displayText).joined(separator: " ")
    }

    /// A text of a file in one line, or `nil` if one of its tokens is in it.
    private static func bounded(_ text: String, hiding secrets: [Secret]) -> String? {
        guard !secrets.contains(where: { text.containsBytes(of: $0.reveal()) }) else { return nil }
        return text.inOneLine(limit: textLimit)
    }

    /// Reads an end as programs write it, in UTC if no zone is written.
    private func end(
        _ paths: [DocumentPath],
        _ entry: DocumentPath.Match,
        _ name: String,
        lifeFrom start: Date?
    ) -> Date? {
        paths.lazy.compactMap { path -> Date? in
            guard let value = path.value(in: entry, file: name) else { return nil }
            return Self.date(value, lifeFrom: start)
        }
        .first
    }

    static func date(_ value: JSONValue, lifeFrom start: Date?) -> Date? {
        switch StatedEnd(value) {
        case .lifetime(let seconds)?, .period(let seconds)?: start?.addingTimeInterval(seconds)
        case let end: end?.date
        }
    }
}

extension StoredSession {
    /// Returns one session of two parts: what the first one lacks is the second one's.
    fileprivate func merged(with other: StoredSession) -> StoredSession {
        StoredSession(
            id: id,
            store: store,
            title: title,
            account: account ?? other.account,
            issuer: issuer ?? other.issuer,
            client: client ?? other.client,
            access: Self.later(access, other.access),
            refresh: refresh ?? other.refresh,
            idToken: idToken ?? other.idToken,
            renewal: renewal,
            command: command,
            isOneTime: isOneTime,
            isRenewedFromElsewhere: isRenewedFromElsewhere || other.isRenewedFromElsewhere,
            isInKeyring: isInKeyring && other.isInKeyring
        )
    }

    /// Returns the token that ends later, of several for different resources.
    private static func later(_ one: StoredToken?, _ other: StoredToken?) -> StoredToken? {
        guard let one, let other else { return one ?? other }
        return (other.end ?? .distantFuture) > (one.end ?? .distantFuture) ? other : one
    }
}

extension StringProtocol {
    /// The part before the last occurrence of an ASCII character, the whole text without one.
    fileprivate func part(beforeLast separator: Unicode.Scalar) -> Substring {
        let text = Substring(self)
        return text[..<(text.utf8.lastIndex(of: UInt8(ascii: separator)) ?? text.endIndex)]
    }
}
