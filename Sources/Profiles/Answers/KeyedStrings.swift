package import Basics
import FoundationEssentials

/// The strings of a JSON value by their keys, as deep as tokens are.
package struct KeyedStrings: Sendable {
    package struct Member: Sendable {
        package let key: String
        /// The keys that lead to it, joined by dots, or `nil` if those cannot name it.
        package let path: String?
        /// The role that the key of the object that holds it gives a token.
        let holder: TokenRole?
        /// The role that its key gives a token, or else the object that holds it: `refresh.token`
        /// is a refresh token.
        package let role: TokenRole?
        /// Whether its own name, or that of what holds it, says that it is a secret.
        let isSecret: Bool
        package let value: JSONValue
    }

    package private(set) var members: [Member] = []
    package let recognition: Recognition

    private static let depthLimit = 6
    private static let memberLimit = 512
    /// The longest key of a path, in bytes.
    private static let pathLimit = 48

    package init(_ value: JSONValue, by recognition: Recognition) {
        self.recognition = recognition
        collect(value, at: "", in: nil, secret: false, depth: 0)
    }

    private mutating func collect(
        _ value: JSONValue,
        at path: String?,
        in holder: TokenRole?,
        secret isSecret: Bool,
        depth: Int
    ) {
        guard depth <= Self.depthLimit, members.count < Self.memberLimit else { return }
        switch value {
        case .object(let object):
            // `accessToken` beside them tells that `refreshToken.token` is one: alone, it may be the
            // name of a GraphQL mutation with the access token that it brought.
            let names = recognition.tokens
            let isNamedForTokens = Set(object.keys.compactMap(names.role(ofKey:))).count > 1
            for key in object.keys.sorted() {
                guard let member = object[key] else { continue }
                let own = Self.path(path, key)
                let isAnyToken = names.isAnyToken(key)
                let isSecret =
                    recognition.secrets.holdsSecret(key) || isSecret && isAnyToken
                let named = names.role(ofKey: key)
                members.append(
                    Member(
                        key: key,
                        path: own,
                        holder: holder,
                        role: isAnyToken ? holder ?? named : named,
                        isSecret: isSecret,
                        value: member
                    )
                )
                let inner = isNamedForTokens ? named : nil
                collect(member, at: own, in: inner, secret: isSecret, depth: depth + 1)
            }
        case .array(let elements):
            for element in elements.prefix(16) {
                if isSecret, element.stringValue != nil {
                    members.append(
                        Member(
                            key: "",
                            path: nil,
                            holder: nil,
                            role: nil,
                            isSecret: true,
                            value: element
                        )
                    )
                }
                collect(element, at: nil, in: nil, secret: isSecret, depth: depth + 1)
            }
        case .null, .bool, .integer, .number, .string: break
        }
    }

    private static func path(_ outer: String?, _ key: String) -> String? {
        guard let outer, !key.isEmpty, !key.has("."), key.utf8.count <= pathLimit else {
            return nil
        }
        return outer.isEmpty ? key : "\(outer).\(key)"
    }

    /// The tokens under keys that name them, with what is stated of their ends.
    package func tokens(in place: FoundToken.Place) -> [FoundToken] {
        members.compactMap { member in
            guard let role = member.role, let text = member.tokenText else { return nil }
            let statements = members.compactMap { statement(of: $0, on: role) }
            return FoundToken(
                place: place,
                name: member.key,
                role: role,
                secret: Secret(text),
                evidence: statements.compactMap(\.evidence),
                path: member.path,
                expiryField: statements.lazy.compactMap(\.field).first
            )
        }
    }

    /// Whether a key has the value of a credential.
    package var hasCredentials: Bool {
        members.contains {
            recognition.credentials.isCredential($0.key) && $0.value.displayText?.isEmpty == false
        }
    }

    /// The values of credentials.
    package var proofs: [Secret] {
        members.filter { recognition.credentials.isProof($0.key) }.compactMap(\.value.displayText)
            .map { Secret($0) }
    }

    /// Texts under names of secrets, and the numbers of codes: short ones, nested ones, those of lists.
    package var secrets: [Secret] {
        members.compactMap { member in
            guard member.isSecret else { return nil }
            let isCode = recognition.secrets.isCode(member.key)
            let text = isCode ? member.value.displayText : member.value.stringValue
            return text.map { Secret($0) }
        }
    }

    package func text(of plainKey: String) -> String? {
        members.first { $0.key.plainName == plainKey && $0.value.displayText != nil }?
            .value.displayText
    }

    /// Texts that may be tokens: long ones without spaces.
    var candidates: [Secret] {
        members.compactMap { $0.value.stringValue }
            .filter { (16...4_096).contains($0.utf8.count) && $0.isTokenText }
            .prefix(64).map { Secret($0) }
    }
}

extension KeyedStrings.Member {
    /// The value, if it may be a token.
    package var tokenText: String? {
        guard let text = value.stringValue, text.utf8.count >= TokenNames.shortestToken,
            text.isTokenText
        else { return nil }
        return text
    }
}

extension KeyedStrings {
    /// The year 5138: what ends later states no end, in seconds since 1970.
    private static let never = 100_000_000_000.0

    /// Its statement about the end of a token, and a profile's name for that, or `nil` if there is
    /// none.
    private func statement(
        of member: Member,
        on role: TokenRole
    ) -> (evidence: ExpiryEvidence?, field: String?)? {
        let (key, value, path) = (member.key, member.value, member.path)
        let isBeside = member.holder != nil && recognition.lifetimes.isEnd(key)
        let lifetime = isBeside ? nil : recognition.lifetimes.lifetime(ofKey: key)
        let subject =
            isBeside ? member.holder : lifetime?.role ?? recognition.lifetimes.end(ofKey: key)
        guard subject == role else { return nil }
        let isLifetime =
            isBeside ? value.numberValue.map { $0 < 1_000_000_000 } ?? false : lifetime != nil
        if isLifetime {
            guard let number = value.numberValue, number.isFinite, number > 0 else { return nil }
            let isMilliseconds = lifetime?.isMilliseconds ?? false
            return (
                .lifetime(seconds: isMilliseconds ? number / 1_000 : number),
                path.map { "\(isMilliseconds ? "milliseconds" : "seconds"):\($0)" }
            )
        }
        guard let number = value.numberValue else {
            guard let time = value.stringValue.flatMap(Timestamp.init(parsing:)) else {
                return nil
            }
            // Without a zone, it may be any of several times.
            let end = time.zoneOffset.map { Date(timeIntervalSince1970: time.local - $0) }
            return (end.map { .instant($0) }, path.map { "iso8601:\($0)" })
        }
        guard number.isFinite, number > 1_000_000_000 else { return nil }
        // Milliseconds since 1970 have had 13 digits since 2001.
        let isFine = number >= 1_000_000_000_000
        let seconds = isFine ? number / 1_000 : number
        // The year 9999 stands for no end, as .NET's latest time does.
        guard seconds < Self.never else { return nil }
        let unit = isFine ? "unix_milliseconds" : "unix_seconds"
        return (.instant(Date(timeIntervalSince1970: seconds)), path.map { "\(unit):\($0)" })
    }
}

extension String {
    /// Whether it has only what a header may carry in a token.
    package var isTokenText: Bool { utf8.allSatisfy { (0x21...0x7E).contains($0) } }
}
