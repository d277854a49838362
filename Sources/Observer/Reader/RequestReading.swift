import Basics
import Model
import Profiles

/// The contents and statements of a request, by names that are common, without a profile.
struct RequestReading {
    private(set) var foundTokens: [FoundToken] = []
    private(set) var flaws: [CredentialFlaw] = []
    private(set) var hasCredentials = false
    private(set) var discriminator: String?
    private(set) var purpose: ExchangePurpose?
    private(set) var isNamedRefresh = false
    /// Whether it ends the session of its own token, by its path.
    private(set) var isOfOwnSession = false
    /// Whether it ends the session that the last segment of its path names.
    private(set) var isOfSession = false
    private(set) var authorization: RequestFacts.Authorization?
    /// Whether it opens a socket or a stream of a development server, whatever tokens come with it.
    private(set) var isOfDevelopmentServer = false
    /// Whether its path says that it asks whether a token is good.
    private var isNamedVerification = false
    /// The fields of its body, if that is JSON, a form or XML.
    private(set) var strings: KeyedStrings?
    /// The format of that, or `nil` if no profile can name its fields.
    private var format: BodyFacts.Format?
    /// Whether it asks, before a request, whether that may present a token in a header field.
    private(set) var isForToken = false
    private(set) var usesBasic = false
    /// The headers that repeat a cookie's value, with the cookies' names.
    private(set) var repeatedCookies: [String: String] = [:]
    /// The cookies with tokens of which there are two values.
    private(set) var doubledCookies: [String] = []
    /// The other values that prove its sender: credentials, proofs, CSRF tokens.
    private(set) var proofs: [Secret] = []
    /// The values under other names of secrets.
    private(set) var secrets: [Secret] = []
    private let recognition: Recognition

    init(_ request: WireRequest, by recognition: Recognition) {
        self.recognition = recognition
        readPurpose(of: request)
        readHeaders(of: request)
        readQuery(of: request)
        readCookies(of: request)
        readBody(of: request)
        if let discriminator, recognition.refreshGrants.contains(discriminator.plainName) {
            purpose = .refresh
        }
        // With a credential, such as a code, it is part of a login.
        if isNamedVerification, purpose == nil, !hasCredentials { purpose = .question }
    }

    private mutating func add(
        _ place: FoundToken.Place,
        _ name: String,
        _ role: TokenRole,
        _ text: String
    ) {
        guard !text.isEmpty, text.utf8.count <= JSONWebToken.sizeLimit else { return }
        foundTokens.append(
            FoundToken(place: place, name: name, role: role, secret: Secret(text))
        )
    }

    // MARK: - What it is

    private mutating func readPurpose(of request: WireRequest) {
        let upgrade = request.header("Upgrade")?.asciiLowercased ?? ""
        let isPreflight =
            request.method == "OPTIONS" && request.header("Access-Control-Request-Method") != nil
        let names = request.path.parts(at: "/").suffix(3).map(\.plainName)
        let paths = recognition.paths
        isNamedRefresh = paths.nameRefresh(names)
        if request.method == "DELETE" {
            isOfOwnSession = paths.nameOwnSession(names)
            isOfSession = paths.nameOwnSession(names.dropLast())
        }
        if isPreflight {
            purpose = .preflight
            let fields = request.header("Access-Control-Request-Headers")?.parts(at: ",") ?? []
            // Browsers ask about the network of the server, too, and go on without an answer.
            isForToken =
                request.header("Access-Control-Request-Private-Network") == nil
                && fields.map { String($0.trimmingBlanks) }.contains { field in
                    field.isEqualIgnoringCase("authorization")
                        || recognition.tokens.role(ofHeader: field) != nil
                }
        } else if upgrade.containsBytes(of: "websocket") {
            isOfDevelopmentServer = recognition.development.isOpened(by: request)
            purpose = isOfDevelopmentServer ? .other : .socket
        } else if request.header("Accept")?.asciiLowercased.begins(with: "text/event-stream")
            == true
        {
            isOfDevelopmentServer = recognition.development.isOpened(by: request)
            purpose = isOfDevelopmentServer ? .other : .stream
        } else if request.method != "GET", request.method != "HEAD",
            paths.nameLogout(names) || paths.nameRevocation(names)
        {
            purpose = .logout
        } else if paths.nameQuestion(names) {
            purpose = .question
        } else if paths.nameVerification(names) {
            isNamedVerification = true
        }
    }

    // MARK: - Headers

    private mutating func readHeaders(of request: WireRequest) {
        let fields = request.headers.filter { $0.name.isEqualIgnoringCase("authorization") }
        if fields.count > 1 { flaws.append(.repeated(count: fields.count)) }
        for field in fields.prefix(4) { readAuthorization(field.value) }
        for header in request.headers {
            let name = header.name
            if name.isEqualIgnoringCase("dpop") || recognition.credentials.isForgeryToken(name) {
                proofs.append(Secret(header.value))
            }
            guard let role = recognition.tokens.role(ofHeader: name) else {
                if recognition.secrets.holdsSecret(name) { secrets.append(Secret(header.value)) }
                continue
            }
            let value = recognition.tokens.bare(header.value)
            if let flaw = flaw(of: value) {
                flaws.append(flaw)
            } else {
                add(.header, name, role, value)
            }
        }
        let offered = request.header("Sec-WebSocket-Protocol") ?? ""
        let items = offered.utf8.split { ", ".utf8.contains($0) }.map { String(Substring($0)) }
        for (index, item) in items.enumerated() {
            let lower = item.asciiLowercased
            if let prefix = recognition.tokens.subprotocolBeginnings.first(where: {
                lower.begins(with: $0)
            }) {
                add(
                    .subprotocol,
                    prefix,
                    .access,
                    String(item.utf8.dropFirst(prefix.utf8.count)) ?? ""
                )
            } else if index > 0,
                recognition.tokens.precedesSubprotocolToken(items[index - 1])
                    || JSONWebToken(reading: Secret(item)) != nil
            {
                add(.subprotocol, "Sec-WebSocket-Protocol", .access, item)
            } else if item.utf8.count >= TokenNames.shortestCookie {
                add(.subprotocol, "Sec-WebSocket-Protocol", .unknown, item)
            }
        }
    }

    private mutating func readAuthorization(_ value: String) {
        let parts = value.utf8.split(
            separator: UInt8(ascii: " "),
            maxSplits: 1,
            omittingEmptySubsequences: true
        )
        guard let scheme = parts.first.map({ Substring($0).asciiLowercased }) else {
            flaws.append(.empty)
            return
        }
        let names = recognition.tokens
        if names.isClientScheme(scheme) { usesBasic = true }
        guard names.isScheme(scheme) else {
            if parts.count == 1, value.utf8.count >= TokenNames.shortestCookie {
                flaws.append(.noScheme)
            } else if names.isScheme(scheme.trimming { ":=,".utf8.contains($0) }) {
                flaws.append(.misspeltScheme(Substring(parts[0]).inOneLine(limit: 16)))
            }
            let rest = parts.count > 1 ? String(Substring(parts[1])) : ""
            readParameters(of: rest[...])
            if let flaw = [rest, value].compactMap(flaw).first(where: { $0 != .empty }) {
                flaws.append(flaw)
            }
            return
        }
        let rest = parts.count > 1 ? String(Substring(parts[1])) : ""
        if let flaw = flaw(of: rest) {
            flaws.append(flaw)
            return
        }
        if scheme == "bearer" {
            let word = rest.trimmingBlanks
            if word.begins(with: "\"") || word.begins(with: "'") { flaws.append(.quoted) }
            if word.halves(at: " ").map({ names.isScheme($0.before) }) ?? false {
                flaws.append(.doubledScheme)
            }
        }
        let bare = names.bare(value)
        // It may be several words.
        if recognition.missing.isRedacted(bare) { return }
        // Other schemes have parameters: `Token token="…"`.
        guard scheme == "bearer", let tokens = severalTokens(in: bare) else {
            let named = TokenScheme.isStandard(scheme) ? "" : ": \(Substring(parts[0]))"
            add(.authorization, "Authorization\(named)", .access, bare)
            return
        }
        flaws.append(.joined(count: tokens.count))
        for token in tokens.prefix(4) {
            add(.authorization, "Authorization", .access, String(token))
        }
    }

    /// Returns the tokens in a text that has more than one, or `nil`; words are no tokens.
    private func severalTokens(in text: String) -> [Substring]? {
        let isBetween: (UInt8) -> Bool = { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: " ") }
        guard text.hasByte(isBetween) else { return nil }
        let names = recognition.tokens
        let tokens = text.utf8.split(whereSeparator: isBetween)
            .map(Substring.init)
            .filter { $0.utf8.count > names.longestScheme || !names.isScheme($0) }
        let isSeveral = tokens.count(where: { $0.utf8.count >= TokenNames.shortestCookie }) > 1
        return isSeveral ? tokens : nil
    }

    /// Reads what an unknown scheme sends: a text, or parameters such as `Token="…"`.
    ///
    /// A long one may be a token.
    private mutating func readParameters(of text: Substring) {
        for part in text.utf8.split(whereSeparator: { $0 == 0x20 || $0 == UInt8(ascii: ",") }) {
            let part = Substring(part)
            let value = part.halves(at: "=").map {
                $0.after.utf8.allSatisfy { $0 == 0x3D } ? part : $0.after
            }
            let isQuote: (UInt8) -> Bool = { $0 == UInt8(ascii: "\"") }
            let text = String((value ?? part).trimming(isQuote))
            secrets.append(Secret(text))
            if text.utf8.count >= TokenNames.shortestCookie {
                let isWebToken = JSONWebToken(reading: Secret(text)) != nil
                add(.authorization, "Authorization", isWebToken ? .access : .unknown, text)
            }
        }
    }

    /// The size of the longest text that is taken for a placeholder, in bytes.
    private static let longestPlaceholder = 64

    /// Returns what is wrong with a text in the place of a token, or `nil`.
    private func flaw(of text: String) -> CredentialFlaw? {
        // A value in place of a token is short; the name of a class may be longer.
        guard text.utf8.count <= Self.longestPlaceholder else { return nil }
        let plain = text.asciiLowercased.replacing(bytes: "\"", with: "").replacing(
            bytes: " ",
            with: ""
        )
        if plain.isEmpty { return .empty }
        return recognition.missing.isPlaceholder(plain)
            ? .placeholder(String(text.prefix(16))) : nil
    }

    // MARK: - Query, cookies and body

    private mutating func readQuery(of request: WireRequest) {
        let fields = request.queryFields
        if fields["response_type"] != nil, fields["client_id"] != nil {
            let isSilent = fields["prompt"]?.parts(at: " ").contains("none") ?? false
            authorization = isSilent ? .silent : .page
        }
        for name in fields.keys.sorted() {
            guard let value = fields[name].map(recognition.tokens.bare), value.isTokenText else {
                continue
            }
            if recognition.grants.contains(name.plainName) { discriminator = Self.bounded(value) }
            if recognition.credentials.isCredential(name) { hasCredentials = true }
            if let role = recognition.tokens.role(ofParameter: name) {
                if let flaw = flaw(of: value) {
                    flaws.append(flaw)
                } else if value.utf8.count >= TokenNames.shortestToken {
                    add(.query, name, role, value)
                }
            } else if value.utf8.count >= TokenNames.shortestCookie,
                !recognition.credentials.isVocabulary(value)
            {
                add(.query, name, .unknown, value)
            } else if recognition.credentials.isSecret(name) {
                secrets.append(Secret(value))
            }
        }
    }

    private mutating func readCookies(of request: WireRequest) {
        let names = recognition.tokens
        for header in request.headers
        where header.name.asciiLowercased.begins(with: "x-")
            && names.role(ofHeader: header.name) == nil
        {
            let cookie = request.cookies.prefix(64).first { $0.value == header.value }
            guard let cookie, header.value.utf8.count >= TokenNames.shortestToken,
                names.role(ofCookie: cookie.name, value: Secret(cookie.value)) == nil,
                [header.name, cookie.name].allSatisfy({
                    $0.wholeMatch(of: /[A-Za-z0-9_-]{1,64}/) != nil
                })
            else { continue }
            repeatedCookies[header.name] = cookie.name
        }
        for cookie in request.cookies.prefix(64) {
            let value = names.bare(cookie.value)
            let secret = Secret(value)
            guard secret.byteCount >= TokenNames.shortestCookie, value.isTokenText else {
                if recognition.credentials.isSecret(cookie.name) { secrets.append(secret) }
                continue
            }
            let role = names.role(ofCookie: cookie.name, value: secret) ?? .unknown
            if role != .unknown, !doubledCookies.contains(cookie.name),
                foundTokens.contains(where: {
                    $0.place == .cookie && $0.name == cookie.name && $0.secret != secret
                })
            {
                doubledCookies.append(cookie.name)
            }
            foundTokens.append(
                FoundToken(place: .cookie, name: cookie.name, role: role, secret: secret)
            )
        }
    }

    private mutating func readBody(of request: WireRequest) {
        let type = request.header("Content-Type")?.asciiLowercased ?? ""
        if type.containsBytes(of: "form-urlencoded") {
            read(fields: request.formFields)
        } else if type.begins(with: "multipart/form-data") {
            read(fields: request.multipartFields)
        } else if let xml = request.xml {
            read(KeyedStrings(xml, by: recognition), nil)
        } else if let first = request.body.first(where: { $0 > 0x20 }), "{[".utf8.contains(first),
            let json = JSONValue(parsing: request.body)
        {
            read(KeyedStrings(json, by: recognition), .json)
        }
    }

    private mutating func read(fields: [String: String]) {
        read(KeyedStrings(.object(fields.mapValues(JSONValue.string)), by: recognition), .form)
    }

    private mutating func read(_ strings: KeyedStrings, _ format: BodyFacts.Format?) {
        (self.strings, self.format) = (strings, format)
        proofs += strings.proofs
        secrets += strings.secrets
        readTokens(in: strings)
        if strings.hasCredentials { hasCredentials = true }
        let operation = strings.text(of: "jsonrpc").flatMap { _ in strings.text(of: "method") }
        if let grant = recognition.operations.lazy.compactMap(strings.text).first ?? operation {
            discriminator = Self.bounded(grant)
        }
    }

    /// Reads the tokens of a body; what a program writes in place of a refresh token is none.
    private mutating func readTokens(in strings: KeyedStrings) {
        foundTokens += strings.tokens(in: .body).filter { token in
            token.role != .refresh || flaw(of: token.secret.reveal()) == nil
        }
        .map { format == nil ? $0.withoutPlace : $0 }
        guard purpose != .logout else { return }
        let values = strings.members.filter { $0.role == .refresh }.compactMap(\.value.stringValue)
        if let flaw = values.compactMap(flaw).first(where: { $0 != .empty }) { flaws.append(flaw) }
    }

    /// The tokens of a form as they were before a `+` in them was read as a blank.
    var tokensWithBlanks: [Secret] {
        guard let strings, format == .form else { return [] }
        return strings.members.filter { $0.role != nil }.compactMap(\.value.stringValue)
            .filter { $0.has(" ") }
            .map { Secret($0.replacing(bytes: " ", with: "+")) }
    }

    /// Returns the fields of its body without the values that may be secret, or `nil` if it has no
    /// credentials and none of the tokens.
    func body(with tokens: [FoundToken]) -> BodyFacts? {
        let inBody = tokens.filter { $0.place == .body }
        guard let strings, let format, !inBody.isEmpty || strings.hasCredentials else { return nil }
        return strings.facts(format, tokensAt: Set(inBody.compactMap(\.path)))
    }

    private static func bounded(_ text: String) -> String { text.inOneLine(limit: 64) }
}
