package import Basics

/// The strings of a JSON value by their keys, as deep as tokens are.
package struct KeyedStrings: Sendable {
    package struct Member: Sendable {
        package let key: String
        /// The keys and the indexes that lead to it, joined by dots, or `nil` if those cannot name it.
        package let path: String?
        /// The role that the key of the object that holds it gives a token, or what the object states.
        let holder: TokenRole?
        /// The role of the token in the same object, the access token first, or `nil` if there is none.
        let beside: TokenRole?
        /// The role that its key gives a token, or else the object that holds it: `refresh.token`
        /// is a refresh token.
        package let role: TokenRole?
        /// Whether its own name, or that of what holds it, says that it is a secret.
        let isSecret: Bool
        package let value: JSONValue
        /// The value, without a scheme and the like, if it may be a token.
        package let tokenText: String?
    }

    package private(set) var members: [Member] = []
    /// The texts in lists, which have no keys.
    package private(set) var elements: [String] = []
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
            let besides = Set(
                object.compactMap { key, value in
                    names.role(ofKey: key).flatMap { tokenText(of: value) == nil ? nil : $0 }
                }
            )
            let beside = [TokenRole.access, .session, .id, .refresh].first(where: besides.contains)
            let holder = holder ?? statedKind(of: object)
            for field in object.keys.sorted() {
                guard let member = object[field] else { continue }
                let own = Self.path(path, field)
                let key = Self.fieldName(field)
                let isAnyToken = names.isAnyToken(key)
                let isSecret =
                    recognition.secrets.holdsSecret(key) || isSecret && isAnyToken
                let named = names.role(ofKey: key)
                let role = isAnyToken ? holder ?? named : named
                members.append(
                    Member(
                        key: key,
                        path: own,
                        holder: holder,
                        beside: beside,
                        role: role,
                        isSecret: isSecret,
                        value: member,
                        tokenText: role == nil ? nil : tokenText(of: member)
                    )
                )
                let inner = isNamedForTokens ? named : nil
                collect(member, at: own, in: inner, secret: isSecret, depth: depth + 1)
            }
        case .array(let elements):
            for (index, element) in elements.prefix(16).enumerated() {
                if let text = element.stringValue, self.elements.count < Self.memberLimit {
                    self.elements.append(text)
                }
                if isSecret, element.stringValue != nil {
                    members.append(
                        Member(
                            key: "",
                            path: nil,
                            holder: nil,
                            beside: nil,
                            role: nil,
                            isSecret: true,
                            value: element,
                            tokenText: nil
                        )
                    )
                }
                // No path leads into a list that is the whole body.
                let own = path.flatMap { $0.isEmpty ? nil : Self.path($0, String(index)) }
                collect(element, at: own, in: nil, secret: isSecret, depth: depth + 1)
            }
        case .null, .bool, .integer, .number, .string: break
        }
    }

    /// Returns the last name of a form's field, such as `password` of `user[password]` and of
    /// `password[]`, as Rails, PHP and others write what is within something.
    private static func fieldName(_ key: String) -> String {
        guard key.utf8.last == UInt8(ascii: "]") else { return key }
        return key.parts(at: "[").last { !$0.begins(with: "]") }
            .map { String($0.part(before: "]")) } ?? key
    }

    /// The role that an object states of its own token, as in `{"type": "refresh", "token": …}`.
    private func statedKind(of object: [String: JSONValue]) -> TokenRole? {
        let names = recognition.tokens
        guard object.keys.contains(where: names.isAnyToken) else { return nil }
        return names.kinds.lazy.compactMap { object[$0]?.stringValue.flatMap(names.role(ofKey:)) }
            .first
    }

    private static func path(_ outer: String?, _ key: String) -> String? {
        guard let outer, !key.isEmpty, !key.has("."), key.utf8.count <= pathLimit else {
            return nil
        }
        return outer.isEmpty ? key : "\(outer).\(key)"
    }

    /// The tokens under keys that name them, with what is stated of their ends.
    package func tokens(in place: FoundToken.Place) -> [FoundToken] {
        let named = members.filter { $0.role != nil && $0.tokenText != nil }
        let roles = Set(named.map(\.role))
        return named.compactMap { member in
            guard var role = member.role, let text = member.tokenText else { return nil }
            // Beside a refresh token, that of a session is an access token.
            if role == .session, roles.contains(.refresh), !roles.contains(.access) {
                role = .access
            }
            let secret = Secret(text)
            let statements = statements(on: role, whose: secret)
            return FoundToken(
                place: place,
                name: member.key,
                role: role,
                secret: secret,
                evidence: statements.evidence,
                path: member.path,
                expiryField: statements.field
            )
        }
    }

    /// Returns what is stated of the end of a token, and a profile's name for the first of it.
    ///
    /// - Parameters:
    ///   - role: The role of the token.
    ///   - token: The token, which may tell the unit of a number; `nil` if it is not known.
    /// - Returns: The statements.
    func statements(
        on role: TokenRole,
        whose token: Secret? = nil
    ) -> (evidence: [ExpiryEvidence], field: String?) {
        let life = token.flatMap(Self.lifetime)
        let statements = members.compactMap { statement(of: $0, on: role, living: life) }
        return (statements.compactMap(\.evidence), statements.lazy.compactMap(\.field).first)
    }

    /// Returns the value of a member, without a scheme and the like, if it may be a token.
    private func tokenText(of value: JSONValue) -> String? {
        guard let text = value.stringValue.map(recognition.tokens.bare),
            text.utf8.count >= TokenNames.shortestToken, text.isTokenText
        else { return nil }
        return text
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

    /// Texts that look like tokens, under names that say neither that they are nor what else they
    /// are, with what is stated of the end of an access token.
    var unnamedTokens: [FoundToken] {
        let statements = statements(on: .access)
        return members.compactMap { member in
            guard member.role == nil, let value = member.value.stringValue,
                recognition.mayNameToken(member.key)
            else { return nil }
            let text = recognition.tokens.bare(value)
            guard Recognition.looksLikeToken(text) else { return nil }
            return FoundToken(
                place: .body,
                name: member.key,
                role: .unknown,
                secret: Secret(text),
                evidence: statements.evidence,
                path: member.path,
                expiryField: statements.field
            )
        }
        .prefix(16).map(\.self)
    }

    /// Texts that may be tokens: long ones without spaces.
    var candidates: [Secret] {
        members.compactMap { $0.value.stringValue }
            .filter { (16...4_096).contains($0.utf8.count) && $0.isTokenText }
            .prefix(64).map { Secret($0) }
    }
}

extension KeyedStrings {
    /// Returns how long a JWT lives, in seconds, or `nil` for another token.
    private static func lifetime(of token: Secret) -> Double? {
        guard let token = JSONWebToken(reading: token), let end = token.expiresAt,
            let start = token.issuedAt
        else { return nil }
        return end - start
    }

    /// Its statement about the end of a token, and a profile's name for that, or `nil` if there is
    /// none.
    ///
    /// The name says of which token; whether it states a lifetime or a time, and in which unit, its
    /// size says, but for lifetimes in milliseconds.
    private func statement(
        of member: Member,
        on role: TokenRole,
        living life: Double?
    ) -> (evidence: ExpiryEvidence?, field: String?)? {
        let (key, value) = (member.key, member.value)
        let isEnd = recognition.lifetimes.isEnd(key)
        let lifetime = recognition.lifetimes.lifetime(ofKey: key)
        let subject =
            (isEnd ? member.holder : nil) ?? lifetime?.role ?? recognition.lifetimes.end(ofKey: key)
            ?? (isEnd ? member.beside : nil)
        guard subject == role || subject == .access && role == .session else { return nil }
        func found(
            _ evidence: ExpiryEvidence?,
            _ kind: ExpiryField.Kind?
        ) -> (evidence: ExpiryEvidence?, field: String?) {
            let path = kind == nil ? nil : member.path
            return (evidence, path.flatMap { path in kind.map { "\($0.rawValue):\(path)" } })
        }
        if let unit = lifetime?.unit, unit != .seconds, let number = value.numberValue,
            number > 0, number < UnusableExpiry.milliseconds.lowerBound
        {
            return found(.lifetime(seconds: unit.seconds(number)), unit.kind)
        }
        guard let end = StatedEnd(value) else { return nil }
        switch end {
        case .lifetime(let number):
            if lifetime != nil { return found(.lifetime(seconds: number), end.kind) }
            // `ttl` and the like may be in any unit, which the token may tell.
            let unit = life.flatMap { life in
                LifetimeUnit.allCases.first {
                    abs($0.seconds(number) - life) <= max(2, life * 0.02)
                }
            }
            guard let unit else { return found(.assumedUnit(seconds: number), end.kind) }
            return found(.lifetime(seconds: unit.seconds(number)), unit.kind)
        case .period(let seconds): return found(.lifetime(seconds: seconds), end.kind)
        // Without a zone, it may be any of several times.
        case .timestamp(let time) where time.zoneOffset == nil: return found(nil, end.kind)
        case .seconds, .milliseconds, .timestamp, .httpDate, .dotNET:
            return end.date.map { found(.instant($0), end.kind) }
        case .never: return nil
        }
    }
}

extension String {
    /// Whether it has only what a header may carry in a token.
    package var isTokenText: Bool { utf8.allSatisfy { (0x21...0x7E).contains($0) } }
}

extension Recognition {
    /// Whether what a name stands before may be a token, for all that the name says.
    package func mayNameToken(_ name: String) -> Bool {
        !credentials.isProof(name) && !credentials.isUserName(name)
            && !credentials.isProtocolWord(name) && !userIDs.contains(name.plainName)
    }

    /// Whether a text may be a token by its size and its letters: no address, and no time.
    package static func looksLikeToken(_ text: String) -> Bool {
        (16...4_096).contains(text.utf8.count) && text.isTokenText
            && !text.utf8.contains { "@\"{}<>".utf8.contains($0) } && !text.containsBytes(of: "://")
            && UnknownSecrets.looksLikeToken(Array(text.utf8)[...], from: 16)
            && Timestamp(parsing: text) == nil
    }
}
