package import Basics
import FoundationEssentials

/// An answer, as a profile reads it, and recognition where a profile says nothing or there is none.
///
/// Code that has not sent the request reads the answer by this type. The client knows its request,
/// and calls the `decide` of that exchange, as this does with a profile. What is read of any answer
/// is read by the same code for both: its `AnswerTraits`, and its `serverWords`.
package struct AnswerReading: Sendable {
    /// Its meaning by the profile, or `nil` without one.
    package let meaning: RecognizedAnswer?
    /// The rule that decided that.
    package let rule: DecidingRule
    /// The kinds of token that it refuses by its shape, whatever it was asked for.
    package private(set) var refuses: Set<RefusedToken> = []
    /// Whether the words of its error say that a token is refused.
    package private(set) var saysRefusal = false
    /// Whether it refuses the token against forged requests.
    package private(set) var saysForgery = false
    /// Whether it has a value, and that is `null`.
    package var isNull: Bool { json == .null }
    /// Its body, if that is JSON or XML.
    package var json: JSONValue? { parts.json }
    /// Whether its body is an HTML page.
    package var isPage: Bool { body.isHTML }
    /// Whether its body is a JSON object, as those of backends are, and not only those of gateways.
    package var isObject: Bool { body.isObject }
    /// Whether its error says that a later attempt may succeed.
    package var asksToWait: Bool { parts.asksToWait }
    /// The status of a call of gRPC, or `nil` if it is none.
    package var grpcStatus: Int? { parts.grpcStatus }
    /// The tokens that it brings; with a profile, none unless it says so.
    package private(set) var tokens: [FoundToken] = []
    /// Texts that are tokens if a later request presents them.
    package private(set) var candidates: [Secret] = []
    /// Those of them that look like tokens, and cookies that do, under names that say nothing of them.
    package private(set) var unnamedTokens: [FoundToken] = []
    /// The values under names of secrets, tokens and cookies included.
    package private(set) var secrets: [Secret] = []
    /// The user, as it names one.
    package private(set) var user: String?
    /// The scopes of its tokens (RFC 6749 section 5.1), or `nil` if it states none.
    package private(set) var scopes: Set<String>?
    /// The code of its error, a few words or a number, and the path of keys that leads to it; there is
    /// no path through a list.
    package private(set) var errorCode: String?
    package private(set) var errorKey: String?
    /// The errors of its challenges (RFC 6750 section 3), in small letters.
    package let challenges: Set<String>
    package let cookies: [CookieChange]
    /// Whether caches must not store it.
    package let forbidsStoring: Bool
    /// What its body states.
    private var stated: KeyedStrings?
    let response: WireResponse
    private let body: ResponseBody
    private let parts: AnswerTraits
    /// The dialect of its backend, or `nil` if the request is none of the profile's.
    private let dialect: Shared<Dialect>?
    let recognition: Recognition

    /// - Parameters:
    ///   - response: The answer.
    ///   - request: Its request as the profile has it, or `nil` if there is no profile, or it is none
    ///     of its requests.
    ///   - method: The method of the request; what a POST brings may be a token of any name.
    ///   - sent: The request, whose redirection may refuse its token, and whose address may be that of
    ///     a login; `nil` if neither is.
    ///   - dialect: The profile's dialect.
    ///   - recognition: The meanings of names and shapes.
    ///   - isEmpty: Whether it had no body at all, also none that cannot be read.
    ///   - secrets: The secrets that the backend may repeat.
    package init(
        _ response: WireResponse,
        to request: RecognizedRequest?,
        method: String,
        _ sent: WireRequest? = nil,
        by dialect: Shared<Dialect>?,
        recognition: Recognition,
        isEmpty: Bool,
        hiding secrets: KnownSecrets = .none
    ) {
        self.recognition = recognition
        self.response = response
        self.dialect = request == nil ? nil : dialect
        body = ResponseBody(response, by: recognition)
        parts = AnswerTraits(response, body, to: sent, isEmpty: isEmpty, by: recognition)
        let decision = request.flatMap { request in
            dialect?.value.readAnswer(to: request, response, hiding: secrets)
        }
        meaning = decision?.meaning
        rule = decision?.rule ?? .status
        cookies = response.cookieChanges
        challenges = parts.challenges.filter(\.isErrorCode)
        // No cache stores the answer to a call of gRPC.
        forbidsStoring =
            parts.grpcStatus != nil
            || response.headers.contains {
                $0.name.isEqualIgnoringCase("cache-control")
                    && $0.value.asciiLowercased.containsBytes(of: "no-store")
            }
        let isSuccess = parts.isSuccess
        readCookies()
        let isPlain =
            (method == "GET" || method == "HEAD")
            && !(sent?.queryFields.keys.contains(where: recognition.credentials.isCredential)
                ?? false)
        readBody(isSuccess: isSuccess, isPlain: isPlain)
        if isSuccess { readHeaders() }
        promoteIDToken(isPlain: isPlain)
        refuses = recognition.refusals.refused(by: parts)
        saysRefusal = recognition.saysRefusal(in: body, status: response.status)
        saysForgery = recognition.saysForgery(in: body, status: response.status)
        if let code = parts.errorCode, !isSuccess || !refuses.isEmpty,
            recognition.isPublicCode(code) || secrets.hiding(in: code) == code
        {
            (errorCode, errorKey) = (code, parts.errorKey)
        }
        guard let meaning else { return }
        guard let issued = meaning.tokens else {
            tokens = []
            return
        }
        tokens.merge(issued.found)
        user = issued.statements.user ?? user
    }

    /// Returns what the server says in an answer that does not bring what was asked for, or `nil`
    /// if it says nothing.
    ///
    /// - Parameters:
    ///   - tokens: The tokens in it, of which no word may have a part.
    ///   - secrets: The secrets that the backend may repeat.
    /// - Returns: The words, on one line, bounded, and without secrets.
    package func serverWords(with tokens: [Secret], hiding secrets: KnownSecrets) -> String? {
        recognition.serverWords(
            in: response,
            body,
            parts,
            by: dialect?.value,
            with: tokens,
            hiding: secrets
        )
    }

    private mutating func readCookies() {
        for cookie in cookies {
            guard let value = cookie.value.map({ Secret(recognition.tokens.bare($0.reveal())) })
            else { continue }
            if recognition.credentials.isSecret(cookie.name) { secrets.append(value) }
            guard let role = recognition.tokens.role(ofCookie: cookie.name, value: value) else {
                if recognition.mayNameToken(cookie.name),
                    !recognition.tokens.isMeasuring(cookie: cookie.name),
                    Recognition.looksLikeToken(value.reveal())
                {
                    unnamedTokens.append(
                        FoundToken(
                            place: .cookie,
                            name: cookie.name,
                            role: .unknown,
                            secret: value,
                            evidence: [cookie.expiry].compactMap(\.self)
                        )
                    )
                }
                continue
            }
            tokens.append(
                FoundToken(
                    place: .cookie,
                    name: cookie.name,
                    role: role,
                    secret: value,
                    evidence: [cookie.expiry].compactMap(\.self)
                )
            )
        }
    }

    private mutating func readBody(isSuccess: Bool, isPlain: Bool) {
        guard let json else {
            readRedirection()
            let text = String(decoding: response.body.prefix(8_192), as: UTF8.self)
            if isSuccess, !isPlain { readWhole(text) }
            return
        }
        let strings = KeyedStrings(json, by: recognition)
        secrets += strings.secrets
        scopes = Scopes.stated(in: json).map(Set.init)
        guard isSuccess else { return }
        // No profile can name a place in XML.
        let inBody = strings.tokens(in: .body).map { body.isXML ? $0.withoutPlace : $0 }
        // What the body states of the end of a token that is not in it is said of the cookie's.
        for index in tokens.indices
        where !inBody.contains(where: { $0.role == tokens[index].role || $0.role == .access }) {
            tokens[index].evidence += strings.statements(on: tokens[index].role).evidence
        }
        tokens += inBody.map(withoutEndOfCookie)
        stated = strings
        guard !isPlain else { return }
        if let text = json.stringValue { readWhole(text) }
        if !inBody.isEmpty {
            user = recognition.userNames.names.lazy.compactMap(strings.text).first
        }
        let named = Set(tokens.map(\.secret))
        candidates = strings.candidates.filter { !named.contains($0) }
        unnamedTokens += strings.unnamedTokens.filter { !named.contains($0.secret) }
            .map { body.isXML ? $0.withoutPlace : $0 }
    }

    /// A token that says itself when it ends, without what the body says of the end of a cookie, such as
    /// `expires` of a session beside an access token of a provider.
    private func withoutEndOfCookie(_ token: FoundToken) -> FoundToken {
        guard !cookies.isEmpty, JSONWebToken(reading: token.secret)?.claims["exp"] != nil
        else { return token }
        var token = token
        token.evidence.removeAll { evidence in
            guard case .instant(let end) = evidence else { return false }
            return cookies.contains { cookie in
                guard case .cookieExpires(let date)? = cookie.expiry else { return false }
                return abs(date.timeIntervalSince(end)) < 2 && cookie.value != token.secret
            }
        }
        return token
    }

    /// Takes a body that is nothing but a JWT for an access token, and another one for what may be one.
    private mutating func readWhole(_ text: String) {
        let text = String(text.trimming { $0 <= 0x20 })
        guard text.isTokenText else { return }
        var token = FoundToken(place: .body, name: "", role: .access, secret: Secret(text))
        if JSONWebToken(reading: token.secret) != nil {
            tokens.append(token)
        } else if Recognition.looksLikeToken(text) {
            token.role = .unknown
            unnamedTokens.append(token)
        }
    }

    /// Reads what an answer adds to the address that it redirects to.
    private mutating func readRedirection() {
        func strings(_ fields: [String: String]) -> KeyedStrings {
            KeyedStrings(.object(fields.mapValues(JSONValue.string)), by: recognition)
        }
        let fields = response.redirectedFields
        let (fragment, query) = (strings(fields.fragment), strings(fields.query))
        secrets += fragment.secrets + fragment.proofs + query.secrets + query.proofs
        if !fields.fragment.isEmpty {
            scopes = Scopes.stated(in: .object(fields.fragment.mapValues(JSONValue.string)))
                .map(Set.init)
        }
        // No profile can name a place in a fragment either.
        tokens += fragment.tokens(in: .body).map(\.withoutPlace)
    }

    private mutating func readHeaders() {
        for header in response.headers.prefix(128) {
            let isAuthorization = header.name.isEqualIgnoringCase("authorization")
            let role = isAuthorization ? .access : recognition.tokens.role(ofHeader: header.name)
            let value = recognition.tokens.bare(header.value)
            guard value.isTokenText,
                (TokenNames.shortestToken...JSONWebToken.sizeLimit).contains(value.utf8.count)
            else { continue }
            guard let role else {
                if recognition.secrets.holdsSecret(header.name),
                    recognition.mayNameToken(header.name), Recognition.looksLikeToken(value)
                {
                    unnamedTokens.append(
                        FoundToken(
                            place: .header,
                            name: header.name,
                            role: .unknown,
                            secret: Secret(value)
                        )
                    )
                }
                continue
            }
            // The body may say when it ends.
            let statements = stated?.statements(on: role)
            tokens.append(
                FoundToken(
                    place: isAuthorization ? .authorization : .header,
                    name: header.name,
                    role: role,
                    secret: Secret(value),
                    evidence: statements?.evidence ?? [],
                    expiryField: statements?.field
                )
            )
        }
    }

    /// Takes an id token that comes without an access token for one, as Firebase issues them, unless
    /// it is all that a page asks for.
    private mutating func promoteIDToken(isPlain: Bool) {
        guard !isPlain || tokens.contains(where: { $0.role == .refresh }),
            !tokens.contains(where: { $0.role == .access || $0.role == .session })
        else { return }
        for index in tokens.indices where tokens[index].role == .id { tokens[index].role = .access }
    }
}
