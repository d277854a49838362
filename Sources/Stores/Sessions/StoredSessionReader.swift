package import Basics
package import FoundationEssentials
import Profiles

/// Finds the sessions of a document.
package struct StoredSessionReader {
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
    let fingerprinter: Fingerprinter

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
        let last = file.part(afterLast: "/")
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
        func texts(_ paths: [DocumentPath]) -> some Sequence<String> {
            paths.lazy.compactMap { $0.value(in: entry, file: name)?.displayText }
        }
        func found(_ paths: [DocumentPath]) -> FoundToken? {
            texts(paths)
                .first { $0.utf8.count >= Self.shortestToken && !Self.isVariable($0) }
                .map { FoundToken(Secret(Self.withoutScheme($0))) }
        }
        let (access, refresh) = (found(places.access), found(places.refresh))
        let idToken = found(places.idToken)
        let secrets = [access, refresh, idToken].compactMap { $0?.secret }
        let isInKeyring =
            places.inKeyring.contains { path in
                [entry, whole].contains {
                    path.value(in: $0, file: name)?.displayText?.isEmpty == false
                }
            }
            // What is no token by its length may still be a password.
            && texts(places.access + places.refresh + places.idToken).allSatisfy(\.isEmpty)
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
            _ found: FoundToken?,
            _ end: Date?,
            isInferred: Bool = false,
            isLimit: Bool = false
        ) -> StoredToken? {
            found.map {
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
            account: text(places.account)
                ?? user(of: (idToken ?? access)?.decoded, hiding: secrets),
            issuer: text(places.issuer),
            client: self.text(places.client, entry, name, hiding: secrets, isPublic: true),
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

    /// Returns a token without the name of its scheme (RFC 6750), with which some programs keep it.
    private static func withoutScheme(_ text: String) -> String {
        guard let halves = text.halves(at: " "), halves.before.isEqualIgnoringCase("bearer") else {
            return text
        }
        return String(halves.after)
    }

    /// Returns whether a text names a variable of the environment that has the token, such as
    /// `${NPM_TOKEN}` in npm's files.
    private static func isVariable(_ text: String) -> Bool {
        text.part(after: "${")?.part(upTo: "}")?.isEmpty == false
    }

    private func token(
        _ found: FoundToken,
        _ end: Date?,
        isInferred: Bool,
        isLimit: Bool,
        hiding secrets: [Secret]
    ) -> StoredToken {
        StoredToken(
            fingerprint: fingerprinter.fingerprint(of: found.secret),
            size: found.secret.byteCount,
            statedEnd: end,
            isInferred: isInferred && end != nil,
            isLimit: isLimit && end != nil,
            claims: found.decoded.map { token in
                func text(_ name: String) -> String? {
                    let value = token.claims[name]
                    let first = value?.displayText ?? Self.list(value)
                    return first.flatMap { Self.bounded($0, hiding: secrets) }
                }
                return StoredToken.Claims(
                    expiresAt: token.expiresAt.map(Date.init(timeIntervalSince1970:)),
                    issuedAt: token.issuedAt.map(Date.init(timeIntervalSince1970:)),
                    notBefore: token.notBefore.map(Date.init(timeIntervalSince1970:)),
                    issuer: text("iss"),
                    subject: text("sub"),
                    audience: text("aud"),
                    scope: text("scope") ?? text("scp")
                )
            }
        )
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

/// A token of a file, with what it says about itself if it is a JWT.
private struct FoundToken {
    let secret: Secret
    let decoded: JSONWebToken?

    init(_ secret: Secret) {
        self.secret = secret
        decoded = JSONWebToken(reading: secret)
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

    /// The part after the last occurrence of an ASCII character, the whole text without one.
    fileprivate func part(afterLast separator: Unicode.Scalar) -> Substring {
        let text = Substring(self)
        guard let mark = text.utf8.lastIndex(of: UInt8(ascii: separator)) else { return text }
        return text[text.utf8.index(after: mark)...]
    }
}
