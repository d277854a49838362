package import Basics

/// Names of tokens in headers, parameters, members and cookies.
package struct TokenNames: Sendable {
    /// The size of the shortest value of a cookie that is taken for a token, in bytes.
    package static let shortestCookie = 16
    /// The size of the shortest value of a key or parameter that is taken for a token, in bytes.
    package static let shortestToken = 8

    private let headers: RoleNames
    private let subjects: NameList
    private let parameters: RoleNames
    private let keys: RoleNames
    private let anyTokens: NameList
    /// Members that state which kind of token is beside them.
    let kinds: [String]
    /// Members with an object that has the tokens of a pasted pair.
    let containers: [String]
    /// Members with the text of such an object.
    let records: [String]
    private let cookies: RoleNames
    private let neverCookies: NameList
    private let ignoredWords: [String]
    private let measuringCookies: NameList
    private let schemes: NameList
    private let clientSchemes: NameList
    /// The size of the longest scheme, in bytes.
    package let longestScheme: Int
    /// The prefixes of a subprotocol with a token, in small letters.
    package let subprotocolBeginnings: [String]
    private let subprotocolWords: NameList

    init(_ lists: RecognitionLists) {
        headers = RoleNames([
            (.access, lists.names(.headersAccess)), (.refresh, lists.names(.headersRefresh)),
            (.session, lists.names(.headersSession)), (.id, lists.names(.headersID)),
        ])
        subjects = lists.names(.headersSubject)
        parameters = RoleNames([
            (.access, lists.names(.parametersAccess)),
            (.refresh, lists.names(.parametersRefresh)),
        ])
        keys = RoleNames([
            (.access, lists.names(.keysAccess)), (.refresh, lists.names(.keysRefresh)),
            (.session, lists.names(.keysSession)), (.id, lists.names(.keysID)),
        ])
        anyTokens = lists.names(.keysToken)
        kinds = lists.words(.keysKind)
        containers = lists.words(.keysContainer)
        records = lists.words(.keysRecord)
        cookies = RoleNames([
            (.refresh, lists.names(.cookiesRefresh)), (.id, lists.names(.cookiesID)),
            (.access, lists.names(.cookiesAccess)), (.session, lists.names(.cookiesSession)),
        ])
        neverCookies = lists.names(.cookiesNever)
        ignoredWords = lists.words(.cookiesIgnored).map(\.plainName)
        measuringCookies = lists.names(.cookiesMeasuring)
        schemes = lists.names(.schemesAccess)
        clientSchemes = lists.names(.schemesClient)
        longestScheme = lists.words(.schemesAccess).map(\.utf8.count).max() ?? 0
        subprotocolBeginnings = lists.words(.subprotocolsBeginnings).map(\.asciiLowercased)
        subprotocolWords = lists.names(.subprotocolsBefore)
    }

    package func role(ofHeader name: String) -> TokenRole? {
        let name = name.plainName
        return headers.role(of: String(name.part(after: "x") ?? name[...]))
    }

    /// Whether a header holds the token that a request is about, beside that of its sender.
    package func isSubject(header name: String) -> Bool {
        let name = name.plainName
        return subjects.contains(String(name.part(after: "x") ?? name[...]))
    }

    package func role(ofParameter name: String) -> TokenRole? {
        parameters.role(of: name.plainName)
    }

    package func role(ofKey name: String) -> TokenRole? { keys.role(of: name.plainName) }

    /// Returns the keys of a role, as `plainName`, the likeliest first.
    func keys(of role: TokenRole) -> [String] { keys.names(of: role) }

    /// Whether a key says only that its value is a token: what holds it may say of which kind.
    package func isAnyToken(_ name: String) -> Bool { anyTokens.contains(name.plainName) }

    /// Whether a cookie is one of a program that counts visits.
    func isMeasuring(cookie name: String) -> Bool {
        measuringCookies.contains(name.asciiLowercased)
    }

    /// Returns the role of a cookie, or `nil` unless it looks like one with a token.
    package func role(ofCookie name: String, value: Secret) -> TokenRole? {
        guard value.byteCount >= Self.shortestCookie, !isMeasuring(cookie: name) else { return nil }
        var name = name.plainName
        guard !neverCookies.contains(name) else { return nil }
        for word in ignoredWords where name.containsBytes(of: word) {
            name = name.replacing(bytes: word, with: "")
        }
        return cookies.role(of: name) ?? (JSONWebToken(reading: value) == nil ? nil : .access)
    }

    /// Whether a name is one that cookies of sessions have.
    package func namesSession(_ name: String) -> Bool {
        cookies.role(of: name.plainName) == .session && !neverCookies.contains(name.plainName)
    }

    /// Whether an access token follows a scheme of `Authorization`.
    package func isScheme(_ scheme: some StringProtocol) -> Bool {
        schemes.contains(scheme.plainName)
    }

    /// Returns the token in a text that presents one: without blanks, quotes, percent-encoding, a
    /// scheme, and the name of a parameter, as in `Token="…"`.
    package func bare(_ text: String) -> String {
        // Nearly every token stands alone.
        guard text.utf8.contains(where: { " \t\"'%".utf8.contains($0) }) else { return text }
        var rest = text
        for _ in 1...4 {
            let next = unwrapped(rest)
            guard next != rest else { break }
            rest = next
        }
        return rest
    }

    private func unwrapped(_ text: String) -> String {
        let bare = text.trimmingBlanks
        for quote in ["\"", "'"] where bare.utf8.count > 2 {
            if let inner = bare.part(after: quote)?.part(upTo: quote) { return String(inner) }
        }
        if let (scheme, rest) = bare.halves(at: " "), isScheme(scheme) { return String(rest) }
        if let (name, value) = bare.halves(at: "="), name.utf8.count <= 32,
            name.utf8.allSatisfy({ $0.isAlphanumeric || $0 == UInt8(ascii: "_") }),
            value.begins(with: "\"") && value.ends(with: "\"") || isNamed(name)
        {
            return String(value)
        }
        guard bare.has("%") else { return String(bare) }
        let decoded = PercentEncoding.decode(bare, plusIsSpace: false)
        return decoded.utf8.allSatisfy { (0x20...0x7E).contains($0) } ? decoded : String(bare)
    }

    /// Whether a parameter that is not quoted, as in `token=…`, has a token.
    private func isNamed(_ name: Substring) -> Bool {
        let name = name.plainName
        return anyTokens.contains(name) || keys.role(of: name) != nil
    }

    /// Whether a client authenticates itself by a scheme of `Authorization`.
    package func isClientScheme(_ scheme: some StringProtocol) -> Bool {
        clientSchemes.contains(scheme.plainName)
    }

    /// Whether an access token follows an item of `Sec-WebSocket-Protocol`.
    package func precedesSubprotocolToken(_ item: String) -> Bool {
        subprotocolWords.contains(item.plainName)
    }
}

/// Names of what an answer, or an app's storage, states of the ends of tokens.
package struct LifetimeNames: Sendable {
    private let seconds: RoleNames
    private let milliseconds: RoleNames
    private let minutes: RoleNames
    private let ends: RoleNames
    private let tokenEnds: NameList

    init(_ lists: RecognitionLists) {
        seconds = RoleNames([
            (.access, lists.names(.secondsAccess)), (.refresh, lists.names(.secondsRefresh)),
        ])
        milliseconds = RoleNames([
            (.access, lists.names(.millisecondsAccess)),
            (.refresh, lists.names(.millisecondsRefresh)),
        ])
        minutes = RoleNames([
            (.access, lists.names(.minutesAccess)), (.refresh, lists.names(.minutesRefresh)),
        ])
        ends = RoleNames([
            (.access, lists.names(.endsAccess)), (.refresh, lists.names(.endsRefresh)),
        ])
        tokenEnds = lists.names(.endsToken)
    }

    /// Returns the role of the token whose life a key states, and in which unit, or `nil` if it
    /// states none.
    func lifetime(ofKey name: String) -> (role: TokenRole, unit: LifetimeUnit)? {
        let name = name.plainName
        return seconds.role(of: name).map { ($0, .seconds) }
            ?? milliseconds.role(of: name).map { ($0, .milliseconds) }
            ?? minutes.role(of: name).map { ($0, .minutes) }
    }

    /// Returns the role of the token of which a key states when it ends, or `nil` if it states none.
    func end(ofKey name: String) -> TokenRole? { ends.role(of: name.plainName) }

    /// Whether a key states when the token beside it ends, or how long that lives.
    func isEnd(_ name: String) -> Bool { tokenEnds.contains(name.plainName) }

    /// Returns the unit in which a key states how long an access token lives, or when it ends; the size
    /// of the number tells these apart.
    ///
    /// - Parameter name: The key; one that does not say of which token, such as `expires`, is taken for
    ///   one of an access token.
    /// - Returns: The unit, or `nil` if the key states nothing of an access token.
    package func accessUnit(ofKey name: String) -> LifetimeUnit? {
        if let life = lifetime(ofKey: name) { return life.role == .access ? life.unit : nil }
        if let role = end(ofKey: name) { return role == .access ? .seconds : nil }
        return isEnd(name) ? .seconds : nil
    }

    /// Returns the keys that state the life of an access token in seconds, as `plainName`.
    var accessSeconds: [String] { seconds.names(of: .access) }

    /// Returns the keys that state when a token ends, as `plainName`.
    func ends(of role: TokenRole) -> [String] { ends.names(of: role) }
}
