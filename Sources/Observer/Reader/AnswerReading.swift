import Basics
import Profiles

/// What an answer has, by names that are common, without a profile.
struct AnswerReading {
    private(set) var issued: [RawTokenOccurrence] = []
    private(set) var candidates: [Secret] = []
    /// What it has under names of secrets, tokens and cookies included.
    private(set) var secrets: [Secret] = []
    private(set) var errorCode: String?
    private(set) var errorKey: String?
    private(set) var subject: String?
    let cookies: [CookieChange]
    /// Its body, if that is JSON.
    private(set) var json: JSONValue?
    private let recognition: Recognition

    /// - Parameters:
    ///   - response: The answer.
    ///   - method: The method of its request; what a POST brings may be a token of any name.
    ///   - recognition: What names say of its values.
    init(_ response: WireResponse, to method: String, by recognition: Recognition) {
        self.recognition = recognition
        cookies = response.cookieChanges
        let isSuccess = (200..<300).contains(response.status)
        for cookie in cookies {
            guard let value = cookie.value else { continue }
            if recognition.credentials.isSecret(cookie.name) { secrets.append(value) }
            guard let role = recognition.tokens.role(ofCookie: cookie.name, value: value) else {
                continue
            }
            issued.append(
                RawTokenOccurrence(
                    place: .cookie,
                    name: cookie.name,
                    role: role,
                    secret: value,
                    evidence: [cookie.expiry].compactMap(\.self)
                )
            )
        }
        readBody(of: response, isSuccess: isSuccess, isPlain: method == "GET" || method == "HEAD")
        if isSuccess { readHeaders(of: response) }
        promoteIDToken()
    }

    private mutating func readBody(
        of response: WireResponse,
        isSuccess: Bool,
        isPlain: Bool
    ) {
        let type = response.header("Content-Type")?.asciiLowercased ?? ""
        guard type.isEmpty || type.containsBytes(of: "json"),
            let json = JSONValue(parsing: response.body)
        else { return }
        let strings = KeyedStrings(json, by: recognition)
        secrets += strings.secrets
        readError(json)
        self.json = json
        guard isSuccess else { return }
        let inBody = strings.tokens(in: .body)
        issued += inBody
        guard !isPlain else { return }
        if !inBody.isEmpty {
            subject = recognition.userNames.names.lazy.compactMap(strings.text).first
        }
        let named = Set(issued.map(\.secret))
        candidates = strings.candidates.filter { !named.contains($0) }
    }

    private mutating func readHeaders(of response: WireResponse) {
        for header in response.headers.prefix(128) {
            let isAuthorization = header.name.isEqualIgnoringCase("authorization")
            let value = isAuthorization ? header.value.bearer : header.value
            let role = isAuthorization ? .access : recognition.tokens.role(ofHeader: header.name)
            guard let role, let value, value.isTokenText,
                (TokenNames.shortestToken...JSONWebToken.sizeLimit).contains(value.utf8.count)
            else { continue }
            issued.append(
                RawTokenOccurrence(
                    place: isAuthorization ? .authorization : .header,
                    name: header.name,
                    role: role,
                    secret: Secret(value)
                )
            )
        }
    }

    /// Takes an id token that comes with a refresh token and without an access token for one: that
    /// is how Firebase issues them.
    private mutating func promoteIDToken() {
        guard issued.contains(where: { $0.role == .refresh }),
            !issued.contains(where: { $0.role == .access || $0.role == .session })
        else { return }
        for index in issued.indices where issued[index].role == .id { issued[index].role = .access }
    }

    private mutating func readError(_ json: JSONValue) {
        errorKey = recognition.errorPlaces.first {
            json.value(at: $0)?.stringValue?.isErrorCode == true
        }
        errorCode = errorKey.flatMap { json.value(at: $0)?.stringValue }
    }
}

extension String {
    /// Whether it is a few words, as the codes of errors are, and no text that may be a secret.
    var isErrorCode: Bool {
        utf8.count <= 40 && wholeMatch(of: /[A-Za-z]+([_.\-][A-Za-z]+)*/) != nil
    }

    /// Whether it has a part of a secret, in any case.
    func contains(_ secrets: [Secret]) -> Bool {
        let text = asciiLowercased
        return secrets.contains { secret in
            let secret = secret.reveal().asciiLowercased
            return secret.utf8.count >= 4
                && (text.containsBytes(of: secret) || secret.containsBytes(of: text))
        }
    }
}
