package import Basics

/// The place of a token in a request.
enum TokenLocation: Sendable, Hashable {
    /// `Authorization: Bearer TOKEN` (RFC 6750 section 2.1), or with DPoP in place of Bearer.
    case bearer
    /// `Authorization: SCHEME TOKEN`, with the scheme that the profile names, such as `token`.
    case scheme(String)
    /// A field of a JSON body, by its dotted path.
    case json(String)
    /// A field of a form.
    case form(String)
    case header(String)
    case cookie(String)
    /// A query parameter.
    case query(String)

    /// Returns the token at this place of a request, or `nil` if there is none or an empty one.
    func token(in request: WireRequest) -> Secret? {
        guard let text = text(in: request), !text.isEmpty else { return nil }
        return Secret(text)
    }

    private func text(in request: WireRequest) -> String? {
        switch self {
        case .bearer:
            return request.header("Authorization")?.bearer
        case .scheme(let scheme):
            return request.header("Authorization")?.credentials { $0.isEqualIgnoringCase(scheme) }
        case .json(let path):
            return JSONValue(parsing: request.body)?.value(at: path)?.stringValue
        case .form(let name):
            return FormEncoding.decode(String(decoding: request.body, as: UTF8.self))[name]
        case .header(let name):
            return request.header(name)
        case .cookie(let name):
            return request.header("Cookie").flatMap { Cookies.value(of: name, in: $0) }
        case .query(let name):
            return request.queryItems[name]
        }
    }
}

/// The schemes of `Authorization` by which standards present an access token: RFC 6750, and RFC 9449 if
/// it is bound to a key.
package enum TokenScheme {
    private static let standard = ["bearer", "dpop"]

    /// Whether a word is one of them, in any case (RFC 9110 section 11.1).
    package static func isStandard(_ word: some StringProtocol) -> Bool {
        standard.contains(word.asciiLowercased)
    }
}

extension String {
    /// The part after the scheme of a bearer header, or of one of a token that is bound to a key.
    var bearer: String? { credentials { TokenScheme.isStandard($0) } }

    /// The part after a scheme that satisfies a condition, or `nil` if the scheme does not.
    fileprivate func credentials(ifScheme isScheme: (Substring) -> Bool) -> String? {
        let parts = parts(at: " ", limit: 2)
        guard parts.count == 2, isScheme(parts[0]) else { return nil }
        return String(Substring(parts[1].unicodeScalars.drop { $0 == " " }))
    }
}

extension WireRequest {
    /// The texts that may be a token, at any place where some dialect has one.
    package var possibleTokens: [Secret] {
        let bearer = TokenLocation.bearer.token(in: self)
        let texts: [String] =
            switch JSONValue(parsing: body) {
            case .object(let members): members.values.compactMap(\.stringValue)
            default: Array(FormEncoding.decode(String(decoding: body, as: UTF8.self)).values)
            }
        return [bearer].compactMap(\.self)
            + (texts + queryItems.values).filter { !$0.isEmpty }.map { Secret($0) }
    }

    /// Returns the values that a backend may repeat, and that may be secret: not words of a protocol,
    /// and those of fewer than four bytes only under names of secrets.
    package func possibleSecrets(by recognition: Recognition) -> [Secret] {
        let credentials = recognition.credentials
        let fields: [String: String] =
            switch JSONValue(parsing: body) {
            case .object(let members): members.compactMapValues(\.stringValue)
            default: FormEncoding.decode(String(decoding: body, as: UTF8.self))
            }
        let named = [fields, queryItems].joined().filter { name, value in
            if credentials.isSecret(name) { return !value.isEmpty }
            return value.utf8.count >= KnownSecrets.shortest && !credentials.isProtocolWord(name)
                && !credentials.isVocabulary(value)
        }
        return [TokenLocation.bearer.token(in: self)].compactMap(\.self)
            + named.map { Secret($0.value) }
    }

    /// The query parameters, decoded.
    var queryItems: [String: String] {
        target.halves(at: "?").map { FormEncoding.decode($0.after) } ?? [:]
    }
}

extension TokenLocation {
    /// The explanation for a backend that says that a request has no token, which the client sent
    /// here.
    var whyMissing: String {
        switch self {
        case .bearer, .scheme: Self.why("Authorization header")
        case .header(let name): Self.why("header \(name)")
        case .cookie(let name): Self.why("cookie \(name)")
        case .json(let path): "the backend expects the token elsewhere than in the body's \(path)"
        case .form(let name): "the backend expects the token elsewhere than in the form's \(name)"
        case .query(let name): "the backend expects the token elsewhere than in the query's \(name)"
        }
    }

    private static func why(_ place: String) -> String {
        "the \(place) did not arrive, see what removes it on the way, such as a proxy or a redirect"
    }
}
