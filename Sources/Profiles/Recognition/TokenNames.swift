package import Basics

/// Names of tokens in headers, parameters, members and cookies.
package final class TokenNames: Sendable {
    /// The size of the shortest value of a cookie that is taken for a token, in bytes.
    package static let shortestCookie = 16
    /// The size of the shortest value of a key or parameter that is taken for a token, in bytes.
    package static let shortestToken = 8

    /// What a name says of its value at each place.
    private struct Meaning: Sendable {
        var header: TokenRole?
        /// Whether a header of the name has the token that a request is about.
        var isSubject = false
        var parameter: TokenRole?
        var key: TokenRole?
        var isAnyToken = false
    }

    private let meanings: NameMeanings<Meaning>
    private let keys: RoleNames
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
    private let schemes: NameMeanings<Bool>
    private let clientSchemes: NameMeanings<Bool>
    /// The size of the longest scheme, in bytes.
    package let longestScheme: Int
    /// The prefixes of a subprotocol with a token, in small letters.
    package let subprotocolBeginnings: [String]
    private let subprotocolWords: NameList

    init(_ lists: RecognitionLists) {
        let headers = RoleNames([
            (.access, lists.names(.headersAccess)), (.refresh, lists.names(.headersRefresh)),
            (.session, lists.names(.headersSession)), (.id, lists.names(.headersID)),
        ])
        let subjects = lists.names(.headersSubject)
        let parameters = RoleNames([
            (.access, lists.names(.parametersAccess)),
            (.refresh, lists.names(.parametersRefresh)),
        ])
        let keys = RoleNames([
            (.access, lists.names(.keysAccess)), (.refresh, lists.names(.keysRefresh)),
            (.session, lists.names(.keysSession)), (.id, lists.names(.keysID)),
        ])
        self.keys = keys
        let anyTokens = lists.names(.keysToken)
        meanings = NameMeanings { name in
            let header = String(name.part(after: "x") ?? name[...])
            return Meaning(
                header: headers.role(of: header),
                isSubject: subjects.contains(header),
                parameter: parameters.role(of: name),
                key: keys.role(of: name),
                isAnyToken: anyTokens.contains(name)
            )
        }
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
        schemes = NameMeanings(lists.names(.schemesAccess).contains)
        clientSchemes = NameMeanings(lists.names(.schemesClient).contains)
        longestScheme = lists.words(.schemesAccess).map(\.utf8.count).max() ?? 0
        subprotocolBeginnings = lists.words(.subprotocolsBeginnings).map(\.asciiLowercased)
        subprotocolWords = lists.names(.subprotocolsBefore)
    }

    package func role(ofHeader name: String) -> TokenRole? { meanings[name].header }

    /// Whether a header holds the token that a request is about, beside that of its sender.
    package func isSubject(header name: String) -> Bool { meanings[name].isSubject }

    package func role(ofParameter name: String) -> TokenRole? { meanings[name].parameter }

    package func role(ofKey name: String) -> TokenRole? { meanings[name].key }

    /// Returns the keys of a role, as `plainName`, the likeliest first.
    func keys(of role: TokenRole) -> [String] { keys.names(of: role) }

    /// Whether a key says only that its value is a token: what holds it may say of which kind.
    package func isAnyToken(_ name: String) -> Bool { meanings[name].isAnyToken }

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
    package func isScheme(_ scheme: some StringProtocol) -> Bool { schemes[scheme] }

    /// Returns the token in a text that presents one: without blanks, quotes, percent-encoding, a
    /// scheme, and the name of a parameter, as in `Token="…"`.
    package func bare(_ text: String) -> String {
        // Nearly every token stands alone.
        guard text.hasWrapping else { return text }
        var rest = text
        for _ in 1...4 {
            let next = unwrapped(rest)
            guard next != rest else { break }
            rest = next
            guard rest.hasWrapping || rest.has("=") else { break }
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
        let meaning = meanings[name]
        return meaning.isAnyToken || meaning.key != nil
    }

    /// Whether a client authenticates itself by a scheme of `Authorization`.
    package func isClientScheme(_ scheme: some StringProtocol) -> Bool { clientSchemes[scheme] }

    /// Whether an access token follows an item of `Sec-WebSocket-Protocol`.
    package func precedesSubprotocolToken(_ item: String) -> Bool {
        subprotocolWords.contains(item.plainName)
    }
}

extension String {
    /// Whether it has a byte that stands around a token, or between it and what precedes it.
    fileprivate var hasWrapping: Bool {
        hasByte { byte in
            switch byte {
            case 0x20, 0x09, UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "%"): true
            default: false
            }
        }
    }
}

/// Names of what an answer, or an app's storage, states of the ends of tokens.
package final class LifetimeNames: Sendable {
    /// What a key states of the end of a token.
    private struct Meaning: Sendable {
        var lifetime: (role: TokenRole, unit: LifetimeUnit)?
        var end: TokenRole?
        var isEnd = false
    }

    private let meanings: NameMeanings<Meaning>
    private let seconds: RoleNames
    private let ends: RoleNames

    init(_ lists: RecognitionLists) {
        let seconds = RoleNames([
            (.access, lists.names(.secondsAccess)), (.refresh, lists.names(.secondsRefresh)),
        ])
        let milliseconds = RoleNames([
            (.access, lists.names(.millisecondsAccess)),
            (.refresh, lists.names(.millisecondsRefresh)),
        ])
        let minutes = RoleNames([
            (.access, lists.names(.minutesAccess)), (.refresh, lists.names(.minutesRefresh)),
        ])
        let ends = RoleNames([
            (.access, lists.names(.endsAccess)), (.refresh, lists.names(.endsRefresh)),
        ])
        let tokenEnds = lists.names(.endsToken)
        (self.seconds, self.ends) = (seconds, ends)
        meanings = NameMeanings { name in
            Meaning(
                lifetime: seconds.role(of: name).map { ($0, .seconds) }
                    ?? milliseconds.role(of: name).map { ($0, .milliseconds) }
                    ?? minutes.role(of: name).map { ($0, .minutes) },
                end: ends.role(of: name),
                isEnd: tokenEnds.contains(name)
            )
        }
    }

    /// Returns the role of the token whose life a key states, and in which unit, or `nil` if it
    /// states none.
    func lifetime(ofKey name: String) -> (role: TokenRole, unit: LifetimeUnit)? {
        meanings[name].lifetime
    }

    /// Returns the role of the token of which a key states when it ends, or `nil` if it states none.
    func end(ofKey name: String) -> TokenRole? { meanings[name].end }

    /// Whether a key states when the token beside it ends, or how long that lives.
    func isEnd(_ name: String) -> Bool { meanings[name].isEnd }

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
