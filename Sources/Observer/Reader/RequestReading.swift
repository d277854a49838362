import Basics
import Profiles

/// What a request has and says, by names that are common, without a profile.
struct RequestReading {
    private(set) var sightings: [RawTokenOccurrence] = []
    private(set) var flaws: [CredentialFlaw] = []
    private(set) var hasCredentials = false
    private(set) var discriminator: String?
    private(set) var purpose: ExchangePurpose?
    private(set) var isNamedRefresh = false
    /// Whether its path says that it asks whether a token is good.
    private var isNamedVerification = false
    private(set) var body: BodyFacts?
    private(set) var usesBasic = false
    /// The headers that repeat a cookie's value, with the cookies' names.
    private(set) var repeatedCookies: [String: String] = [:]
    /// What it holds besides tokens that proves who has sent it: credentials, proofs, CSRF tokens.
    private(set) var proofs: [Secret] = []
    /// What it has under other names of secrets.
    private(set) var secrets: [Secret] = []

    init(_ request: WireRequest) {
        readPurpose(of: request)
        readHeaders(of: request)
        readQuery(of: request)
        readCookies(of: request)
        readBody(of: request)
        if discriminator == "refresh_token" { purpose = .refresh }
        // With a credential, such as a code, it is part of a login.
        if isNamedVerification, purpose == nil, !hasCredentials { purpose = .question }
    }

    private mutating func add(
        _ place: TokenOccurrence.Place,
        _ name: String,
        _ role: TokenOccurrence.Role,
        _ text: String
    ) {
        guard !text.isEmpty, text.utf8.count <= JSONWebToken.sizeLimit else { return }
        sightings.append(
            RawTokenOccurrence(place: place, name: name, role: role, secret: Secret(text))
        )
    }

    // MARK: - What it is

    private mutating func readPurpose(of request: WireRequest) {
        let upgrade = request.header("Upgrade")?.asciiLowercased ?? ""
        let isPreflight =
            request.method == "OPTIONS" && request.header("Access-Control-Request-Method") != nil
        let names = request.path.parts(at: "/").suffix(3).map { TokenNames.plain($0) }
        isNamedRefresh = names.contains {
            $0.containsBytes(of: "refresh") || $0.containsBytes(of: "renew")
        }
        if isPreflight {
            purpose = .preflight
        } else if upgrade.containsBytes(of: "websocket") {
            purpose = .socket
        } else if request.header("Accept")?.asciiLowercased.begins(with: "text/event-stream")
            == true
        {
            purpose = .stream
        } else if request.method != "GET", request.method != "HEAD",
            names.contains(where: { name in Self.endings.contains { name.containsBytes(of: $0) } })
        {
            purpose = .logout
        } else if request.method == "POST", names.contains("blacklist"),
            names.contains(where: { $0.containsBytes(of: "token") })
        {
            purpose = .logout
        } else if names.contains(where: { $0 == "introspect" || $0 == "userinfo" }) {
            purpose = .question
        } else if names.contains("verify") {
            isNamedVerification = true
        }
    }

    private static let endings = ["logout", "signout", "revoke", "endsession"]

    // MARK: - Headers

    private mutating func readHeaders(of request: WireRequest) {
        let fields = request.headers.filter { $0.name.isEqualIgnoringCase("authorization") }
        if fields.count > 1 { flaws.append(.repeated(count: fields.count)) }
        for field in fields.prefix(4) { readAuthorization(field.value) }
        for header in request.headers {
            let name = TokenNames.plain(header.name)
            if name == "dpop" || TokenNames.isForgeryToken(name) {
                proofs.append(Secret(header.value))
            }
            guard let role = TokenNames.role(ofHeader: header.name) else {
                if SecretNames.holdsSecret(header.name) { secrets.append(Secret(header.value)) }
                continue
            }
            if let flaw = Self.flaw(of: header.value) {
                flaws.append(flaw)
            } else {
                add(.header, header.name, role, header.value)
            }
        }
        let offered = request.header("Sec-WebSocket-Protocol") ?? ""
        let items = offered.utf8.split { ", ".utf8.contains($0) }.map { String(Substring($0)) }
        for (index, item) in items.enumerated() {
            let lower = item.asciiLowercased
            if let prefix = ["bearer.", "authorization.bearer."].first(where: {
                lower.begins(with: $0)
            }) {
                add(
                    .subprotocol,
                    prefix,
                    .access,
                    String(item.utf8.dropFirst(prefix.utf8.count)) ?? ""
                )
            } else if index > 0,
                ["access_token", "bearer"].contains(items[index - 1].asciiLowercased)
                    || JSONWebToken(reading: Secret(item)) != nil
            {
                add(.subprotocol, "Sec-WebSocket-Protocol", .access, item)
            } else if item.utf8.count >= TokenNames.shortestCookie {
                add(.subprotocol, "Sec-WebSocket-Protocol", .unknown, item)
            }
        }
    }

    private static let schemes: Set = ["bearer", "dpop", "token", "jwt"]
    /// The size of the longest of them, in bytes.
    private static let longestScheme = 6

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
        if scheme == "basic" { usesBasic = true }
        guard Self.schemes.contains(scheme) else {
            readParameters(of: parts.count > 1 ? Substring(parts[1]) : "")
            if let flaw = Self.flaw(of: value), flaw != .empty { flaws.append(flaw) }
            return
        }
        let rest = parts.count > 1 ? String(Substring(parts[1])) : ""
        if let flaw = Self.flaw(of: rest) {
            flaws.append(flaw)
            return
        }
        let tokens = rest.utf8.split { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: " ") }
            .map(Substring.init)
            .filter {
                $0.utf8.count > Self.longestScheme || !Self.schemes.contains($0.asciiLowercased)
            }
        // Other schemes have parameters: `Token token="…"`.
        guard tokens.count > 1, scheme == "bearer" else {
            let isUsual = ["bearer", "dpop"].contains(scheme)
            let named = isUsual ? "" : ": \(Substring(parts[0]))"
            add(.authorization, "Authorization\(named)", .access, rest)
            return
        }
        flaws.append(.joined(count: tokens.count))
        for token in tokens.prefix(4) {
            add(.authorization, "Authorization", .access, String(token))
        }
    }

    /// Reads what an unknown scheme sends: a text, or parameters such as `Token="…"`.
    private mutating func readParameters(of text: Substring) {
        for part in text.utf8.split(whereSeparator: { $0 == 0x20 || $0 == UInt8(ascii: ",") }) {
            let part = Substring(part)
            let value = part.halves(at: "=").map {
                $0.after.utf8.allSatisfy { $0 == 0x3D } ? part : $0.after
            }
            let isQuote: (UInt8) -> Bool = { $0 == UInt8(ascii: "\"") }
            secrets.append(Secret(String((value ?? part).trimming(isQuote))))
        }
    }

    /// The size of the longest text that is taken for a placeholder, in bytes.
    private static let longestPlaceholder = 64

    /// Returns what is wrong with a text in the place of a token, or `nil`.
    private static func flaw(of text: String) -> CredentialFlaw? {
        // What stands in place of a token is short; the name of a class may be longer.
        guard text.utf8.count <= longestPlaceholder else { return nil }
        let plain = text.asciiLowercased.replacing(bytes: "\"", with: "").replacing(
            bytes: " ",
            with: ""
        )
        if plain.isEmpty { return .empty }
        let isPlaceholder = TokenNames.placeholders.contains(plain) || plain.begins(with: "[object")
        return isPlaceholder ? .placeholder(String(text.prefix(16))) : nil
    }

    // MARK: - Query, cookies and body

    private mutating func readQuery(of request: WireRequest) {
        let fields = request.queryFields
        for name in fields.keys.sorted() {
            guard let value = fields[name], value.isTokenText else { continue }
            if TokenNames.plain(name) == "granttype" { discriminator = Self.bounded(value) }
            if TokenNames.isCredential(name) { hasCredentials = true }
            if let role = TokenNames.role(ofParameter: name) {
                if let flaw = Self.flaw(of: value) {
                    flaws.append(flaw)
                } else if value.utf8.count >= TokenNames.shortestToken {
                    add(.query, name, role, value)
                }
            } else if value.utf8.count >= TokenNames.shortestCookie {
                add(.query, name, .unknown, value)
            } else if TokenNames.isSecret(name) {
                secrets.append(Secret(value))
            }
        }
    }

    private mutating func readCookies(of request: WireRequest) {
        for header in request.headers
        where header.name.asciiLowercased.begins(with: "x-")
            && TokenNames.role(ofHeader: header.name) == nil
        {
            let cookie = request.cookies.prefix(64).first { $0.value == header.value }
            guard let cookie, header.value.utf8.count >= TokenNames.shortestToken,
                TokenNames.role(ofCookie: cookie.name, value: Secret(cookie.value)) == nil,
                [header.name, cookie.name].allSatisfy({
                    $0.wholeMatch(of: /[A-Za-z0-9_-]{1,64}/) != nil
                })
            else { continue }
            repeatedCookies[header.name] = cookie.name
        }
        for cookie in request.cookies.prefix(64) {
            let secret = Secret(cookie.value)
            guard secret.byteCount >= TokenNames.shortestCookie, cookie.value.isTokenText else {
                if TokenNames.isSecret(cookie.name) { secrets.append(secret) }
                continue
            }
            let role = TokenNames.role(ofCookie: cookie.name, value: secret) ?? .unknown
            sightings.append(
                RawTokenOccurrence(place: .cookie, name: cookie.name, role: role, secret: secret)
            )
        }
    }

    private mutating func readBody(of request: WireRequest) {
        let type = request.header("Content-Type")?.asciiLowercased ?? ""
        if type.containsBytes(of: "form-urlencoded") {
            let fields = request.formFields
            let strings = KeyedStrings(.object(fields.mapValues(JSONValue.string)))
            read(strings, .form)
        } else if type.isEmpty || type.containsBytes(of: "json")
            || type.containsBytes(of: "graphql"),
            let json = JSONValue(parsing: request.body)
        {
            read(KeyedStrings(json), .json)
        }
    }

    private mutating func read(_ strings: KeyedStrings, _ format: BodyFacts.Format) {
        proofs += strings.proofs
        secrets += strings.secrets
        let tokens = strings.tokens(in: .body)
        sightings += tokens
        if strings.hasCredentials { hasCredentials = true }
        if strings.hasCredentials || !tokens.isEmpty { body = strings.facts(format) }
        if let grant = strings.text(of: "granttype") ?? strings.text(of: "operationname") {
            discriminator = Self.bounded(grant)
        }
    }

    private static func bounded(_ text: String) -> String { text.inOneLine(limit: 64) }
}
