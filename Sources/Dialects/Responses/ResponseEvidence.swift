package import Tokens

/// What a response looked like, made safe to keep and to show: on one line each, bounded, without
/// secrets, and without the values of cookies.
package struct ResponseEvidence: Sendable, Hashable, Codable {
    /// The longest excerpt of a body, in characters.
    package static let bodyLimit = 2_048
    /// The same of a response that succeeded.
    package static let successBodyLimit = 512
    /// The longest value of a header, in characters.
    package static let headerLimit = 200
    /// The most values that are kept of one header.
    static let repeatLimit = 8

    /// `HTTP/1.1 401 Unauthorized`.
    package var statusLine: String
    /// Those that matter for tokens; of `Set-Cookie`, the names of the cookies.
    package var headers: [WireHeader]
    /// The beginning of the body.
    package var body: String
    package var bodyBytes: Int
    /// Whether more of the body came than is in `body`.
    package var isBodyCut: Bool
    /// What gave the response its meaning.
    package var rule: DecidingRule

    package init(
        statusLine: String,
        headers: [WireHeader] = [],
        body: String = "",
        bodyBytes: Int = 0,
        isBodyCut: Bool = false,
        rule: DecidingRule
    ) {
        self.statusLine = statusLine
        self.headers = headers
        self.body = body
        self.bodyBytes = bodyBytes
        self.isBodyCut = isBodyCut
        self.rule = rule
    }

    private static let shownHeaders = [
        "Date", "Retry-After", "WWW-Authenticate", "Cache-Control", "Content-Type",
    ]

    /// - Parameters:
    ///   - response: What was received.
    ///   - rule: What gave it its meaning.
    ///   - secrets: What may be repeated in it, the tokens that it brings included.
    ///   - limit: The longest excerpt of its body, in characters; by default longer for a refusal.
    package init(
        _ response: WireResponse,
        decidedBy rule: DecidingRule,
        hiding secrets: KnownSecrets,
        bodyLimit limit: Int? = nil
    ) {
        let hider = UnknownSecrets(known: secrets)
        let line = response.statusLine ?? String(response.status)
        statusLine = hider.hiding(in: line, limit: Self.headerLimit).text
        headers = Self.shownHeaders.flatMap { name in
            response.values(of: name).prefix(Self.repeatLimit).map { value in
                WireHeader(name, hider.hiding(in: value, limit: Self.headerLimit).text)
            }
        }
        let cookies = response.values(of: "Set-Cookie").prefix(Self.repeatLimit).map { value in
            String(value.prefix { $0 != "=" && $0 != ";" })
        }
        if !cookies.isEmpty {
            let names = hider.hiding(in: cookies.joined(separator: ", "), limit: Self.headerLimit)
            headers.append(WireHeader("Set-Cookie", names.text))
        }
        let isSuccess = (200..<300).contains(response.status)
        let limit = limit ?? (isSuccess ? Self.successBodyLimit : Self.bodyLimit)
        (body, isBodyCut) = hider.hiding(in: response.body, limit: limit)
        bodyBytes = response.body.count
        self.rule = rule
    }
}

extension WireResponse {
    /// Returns the values of all fields of the name, in their order.
    fileprivate func values(of name: String) -> [String] {
        headers.filter { $0.name.isEqualIgnoringCase(name) }.map(\.value)
    }
}

extension Dialect {
    /// Returns the tokens and the captured values in a response, wherever the dialect has them.
    package func tokens(in response: WireResponse) -> [Secret] {
        tokenTexts(in: response, ResponseBody(response)).map(Secret.init)
    }

    /// Returns what stands in a response where a login or a refresh has its tokens, and any
    /// response the captured values.
    func tokenTexts(in response: WireResponse, _ body: ResponseBody) -> [String] {
        let json = body.json ?? .null
        let readings = [login.reading, refresh?.reading].compactMap(\.self)
        let places = readings.flatMap { $0.access + $0.refresh } + [TokenParser.idTokenPlace]
        let tokens = places.compactMap { place in
            place.value(in: response, json)?.stringValue
        }
        let captured = CapturedValues(captured(in: response, json).values)
        return tokens + captured.secrets.map { $0.reveal() }
    }
}

/// Hides known secrets, and text that looks like a secret: the values of JSON members with such
/// names, and long words of mixed letters and digits.
struct UnknownSecrets {
    let known: KnownSecrets

    /// Returns the beginning of a text, on one line.
    func hiding(in text: String, limit: Int) -> (text: String, isCut: Bool) {
        hiding(in: Array(text.utf8.prefix(limit * 4 + 1)), limit: limit)
    }

    /// Returns the beginning of a text, on one line, and whether there was more.
    func hiding(in bytes: [UInt8], limit: Int) -> (text: String, isCut: Bool) {
        // What may become part of the line; a secret that this cuts is recognized as cut.
        let isLong = bytes.count > limit * 4
        let start = String(decoding: bytes.prefix(limit * 4), as: UTF8.self)
        let length = isLong ? min(limit, max(0, start.count - 1)) : limit
        let shown = known.hiding(in: start, limit: length)
        let safe = Self.withoutLongRuns(in: Self.withoutNamedValues(in: shown))
        let line = safe.inOneLine(limit: limit * 4).split(separator: " ").joined(separator: " ")
        return (line.inOneLine(limit: limit), isLong || start.count > length)
    }

    private static let secretNames = [
        "token", "secret", "password", "passwd", "jwt", "cookie", "authorization", "apikey",
        "api_key", "otp", "credential",
    ]
    private static let plainNames: Set<String> = ["token_type", "tokentype"]

    /// Returns JSON, or the beginning of it, without the strings whose names are those of secrets.
    static func withoutNamedValues(in text: String) -> String {
        var result: [UInt8] = []
        let bytes = Array(text.utf8)
        var isNamed = false
        var place = 0
        while place < bytes.count {
            guard bytes[place] == UInt8(ascii: "\"") else {
                // A value that is no string is not hidden.
                if !(bytes[place] <= 0x20 || bytes[place] == UInt8(ascii: ":")) { isNamed = false }
                result.append(bytes[place])
                place += 1
                continue
            }
            let end = endOfString(in: bytes, from: place + 1)
            let content = bytes[(place + 1)..<end]
            // A fingerprint stands there already.
            let isMark = content.starts(with: "‹".utf8)
            if isNamed, !content.isEmpty, !isMark {
                result += Array("\"\(KnownSecrets.hidden)".utf8)
            } else {
                result += bytes[place..<end]
            }
            if end < bytes.count { result.append(bytes[end]) }
            place = min(bytes.count, end + 1)
            isNamed = isFollowedByColon(bytes, place) && isSecretName(content)
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func endOfString(in bytes: [UInt8], from start: Int) -> Int {
        var place = start
        while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
            place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(place, bytes.count)
    }

    private static func isFollowedByColon(_ bytes: [UInt8], _ place: Int) -> Bool {
        bytes[place...].first { $0 > 0x20 } == UInt8(ascii: ":")
    }

    private static func isSecretName(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard bytes.count <= 64 else { return false }
        let name = String(decoding: bytes, as: UTF8.self).lowercased()
        return !plainNames.contains(name) && secretNames.contains { name.contains($0) }
    }

    /// Returns the text with a mark in place of each long word that mixes letters and digits, or
    /// small and capital letters, as tokens do.
    static func withoutLongRuns(in text: String) -> String {
        var result: [UInt8] = []
        let bytes = Array(text.utf8)
        var place = 0
        while place < bytes.count {
            let end = bytes[place...].firstIndex { !isTokenCharacter($0) } ?? bytes.count
            let run = bytes[place..<end]
            if looksLikeToken(run) {
                result += Array(KnownSecrets.hidden.utf8)
            } else {
                result += run
            }
            if end < bytes.count { result.append(bytes[end]) }
            place = end + 1
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func looksLikeToken(_ run: ArraySlice<UInt8>) -> Bool {
        guard run.count >= 20 else { return false }
        let digits = run.count { (0x30...0x39).contains($0) }
        let capitals = run.count { (0x41...0x5A).contains($0) }
        let letters = run.count { (0x61...0x7A).contains($0) } + capitals
        guard letters > 0 else { return false }
        let isMixed = capitals * 4 > run.count && capitals * 4 < run.count * 3
        return digits >= 3 || isMixed || run.count >= 40 && !run.contains(UInt8(ascii: "/"))
    }

    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        PercentEncoding.isUnreserved(byte) || [0x2B, 0x2F, 0x3D].contains(byte)
    }
}
