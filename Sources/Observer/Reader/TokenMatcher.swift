import Basics
import Profiles

/// Looks for known tokens wherever a request may present one, whatever the names say.
///
/// It shares the storage of all that is known, which adding to that would copy meanwhile: only its
/// matches are kept.
struct TokenMatcher {
    struct Matches {
        /// The tokens that neither names nor a profile have found at their places.
        fileprivate(set) var tokens: [FoundToken] = []
        /// The decoded parts of the target that present a token in a form of their own, with those
        /// tokens.
        fileprivate(set) var forms: [String: Secret] = [:]
        /// The texts that may be tokens, as an answer has brought them under a name that says nothing.
        fileprivate(set) var returned: [FoundToken] = []
    }

    private(set) var matches = Matches()
    private let known: KnownTokens
    private let unnamed: UnnamedTexts
    private let recognition: Recognition
    private let found: [FoundToken]

    /// The most parts of a target in which known tokens are looked for.
    private static let partLimit = 100
    /// The most headers, or cookies.
    private static let fieldLimit = 128
    /// The size of the beginning of a body that is no JSON and no form, in bytes.
    private static let textLimit = 16 * 1024

    /// Header fields that present no token, and are in many requests.
    private static let ignored: Set = [
        "age", "cache-control", "connection", "cookie", "date", "dnt", "dpop", "expect", "from",
        "host", "keep-alive", "max-forwards", "origin", "pragma", "priority", "range", "referer",
        "sec-websocket-extensions", "sec-websocket-key", "sec-websocket-version", "te",
        "traceparent", "tracestate", "trailer", "transfer-encoding", "upgrade",
        "upgrade-insecure-requests", "user-agent", "via", "x-forwarded-for", "x-forwarded-host",
        "x-forwarded-proto", "x-request-id", "x-requested-with",
    ]
    /// The beginnings of others.
    private static let ignoredBeginnings = [
        "accept", "access-control-", "content-", "if-", "sec-ch-", "sec-fetch-",
    ]

    /// - Parameters:
    ///   - request: The request.
    ///   - reading: What names say of it.
    ///   - found: The tokens that were found by names, or by a profile.
    ///   - known: The tokens that were seen before.
    ///   - unnamed: The texts of answers that may be tokens.
    ///   - recognition: The meanings of names.
    init(
        _ request: WireRequest,
        _ reading: RequestReading,
        besides found: [FoundToken],
        known: KnownTokens,
        unnamed: UnnamedTexts,
        by recognition: Recognition
    ) {
        self.known = known
        self.unnamed = unnamed
        self.recognition = recognition
        self.found = found
        guard !known.isEmpty || !unnamed.isEmpty else { return }
        lookInHeaders(of: request)
        lookInTarget(of: request)
        lookInBody(of: request, reading)
    }

    /// Looks in one text, unless names have taken it as a whole for a token.
    private mutating func look(
        in text: String,
        at place: FoundToken.Place,
        _ name: String,
        path: String? = nil
    ) {
        guard text.utf8.count >= KnownTokens.shortest, !recognition.credentials.isProof(name),
            !found.contains(where: {
                $0.place == place && $0.name == name && $0.role != .unknown
                    && $0.secret.byteCount == text.utf8.count
            })
        else { return }
        takeReturned(text, at: place, name, path)
        for secret in known.tokens(in: text) {
            if place == .path || place == .query { matches.forms[text] = secret }
            // A path may repeat a token.
            guard
                place == .path
                    || !(found + matches.tokens).contains(where: {
                        $0.place == place && $0.secret == secret
                    })
            else { continue }
            matches.tokens.append(
                FoundToken(place: place, name: name, role: .unknown, secret: secret, path: path)
            )
        }
    }

    /// Takes in a whole value that an answer had brought, unless its name says what else it is.
    private mutating func takeReturned(
        _ text: String,
        at place: FoundToken.Place,
        _ name: String,
        _ path: String?
    ) {
        guard !unnamed.isEmpty, recognition.mayNameToken(name) else { return }
        let secret = Secret(recognition.tokens.bare(String(text.trimming { $0 <= 0x20 })))
        guard unnamed.contains(secret),
            !found.contains(where: { $0.place == place && $0.secret == secret })
        else { return }
        matches.returned.append(
            FoundToken(place: place, name: name, role: .unknown, secret: secret, path: path)
        )
    }

    private mutating func lookInHeaders(of request: WireRequest) {
        for header in request.headers.prefix(Self.fieldLimit) {
            let name = header.name.asciiLowercased
            guard !Self.ignored.contains(name),
                !Self.ignoredBeginnings.contains(where: { name.begins(with: $0) })
            else { continue }
            switch name {
            case "authorization": look(in: header.value, at: .authorization, header.name)
            case "sec-websocket-protocol": look(in: header.value, at: .subprotocol, header.name)
            default: look(in: header.value, at: .header, header.name)
            }
        }
        for cookie in request.cookies.prefix(Self.fieldLimit) {
            look(in: cookie.value, at: .cookie, cookie.name)
        }
    }

    private mutating func lookInTarget(of request: WireRequest) {
        let (segments, query) = request.targetParts
        for segment in segments.prefix(Self.partLimit) {
            look(in: PercentEncoding.decode(segment, plusIsSpace: false), at: .path, "path")
        }
        for parameter in (query ?? []).prefix(Self.partLimit) {
            let (name, value) = parameter.halves(at: "=") ?? (parameter, "")
            let decoded = PercentEncoding.decode(name, plusIsSpace: true)
            look(in: decoded, at: .path, "query")
            look(in: PercentEncoding.decode(value, plusIsSpace: true), at: .query, decoded)
        }
    }

    private mutating func lookInBody(of request: WireRequest, _ reading: RequestReading) {
        guard let strings = reading.strings else {
            look(
                in: String(decoding: request.body.prefix(Self.textLimit), as: UTF8.self),
                at: .body,
                ""
            )
            return
        }
        for member in strings.members {
            guard let text = member.value.stringValue else { continue }
            look(in: text, at: .body, member.key, path: member.path)
        }
        for text in strings.elements { look(in: text, at: .body, "") }
    }
}

/// The beginnings of tokens that were seen, by which one that was cut is told: their digests.
///
/// A place that holds too few bytes cuts them: a column of a database, a cookie, a field.
struct TokenBeginnings: Sendable {
    /// The sizes of beginnings are multiples of this one, in bytes: all JWTs of a backend begin alike.
    private static let step = 64
    /// The sizes of the usual signatures of JWTs in base64: a token with such a one is whole.
    private static let signatures: Set = [43, 64, 86, 128, 171, 176, 342, 512, 683]

    private var sizes = RecentMap<SecretDigest, Int>(limit: 8_192)

    mutating func add(_ token: Secret) {
        let size = token.byteCount
        guard size > Self.step, size <= JSONWebToken.sizeLimit else { return }
        let bytes = Array(token.reveal().utf8)
        for end in stride(from: Self.step, to: size, by: Self.step) {
            sizes[Self.digest(bytes[..<end])] = size
        }
    }

    /// Returns the size of the token of which a text is the beginning, in bytes, or `nil` if there is none.
    func size(ofTokenCutTo text: Secret) -> Int? {
        let bytes = Array(text.reveal().utf8)
        guard bytes.count >= Self.step, bytes.count <= JSONWebToken.sizeLimit else { return nil }
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        if parts.count == 3, Self.signatures.contains(parts[2].count) { return nil }
        let end = bytes.count / Self.step * Self.step
        return sizes[Self.digest(bytes[..<end])].flatMap { $0 > bytes.count ? $0 : nil }
    }

    private static func digest(_ bytes: ArraySlice<UInt8>) -> SecretDigest {
        SecretDigest(Secret(String(decoding: bytes, as: UTF8.self)))
    }
}

/// The texts of answers that may be tokens under names that say nothing of them: their digests.
struct UnnamedTexts: Sendable {
    private var digests = RecentMap<SecretDigest, Bool>(limit: 4_096)
    private(set) var isEmpty = true

    mutating func add(_ secret: Secret) {
        digests[SecretDigest(secret)] = true
        isEmpty = false
    }

    func contains(_ secret: Secret) -> Bool {
        digests[SecretDigest(secret)] != nil
    }
}
