package import Basics
import FoundationEssentials

/// An answer, as a profile reads it, and recognition where a profile says nothing or there is none.
///
/// Code that has not sent the request reads the answer by this type. The client knows its request,
/// and calls the `decide` of that exchange, as this does with a profile.
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
    /// The status of a call of gRPC, or `nil` if it is none.
    package let grpcStatus: Int?
    /// The errors of its challenges (RFC 6750 section 3), in small letters.
    package let challenges: Set<String>
    package let cookies: [CookieChange]
    /// Whether caches must not store it.
    package let forbidsStoring: Bool
    /// Its body, if that is JSON.
    package private(set) var json: JSONValue?
    /// What that states.
    private var stated: KeyedStrings?
    private let recognition: Recognition

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
        by dialect: Dialect?,
        recognition: Recognition,
        isEmpty: Bool,
        hiding secrets: KnownSecrets = .none
    ) {
        self.recognition = recognition
        let decision = request.flatMap { request in
            dialect?.readAnswer(to: request, response, hiding: secrets)
        }
        meaning = decision?.meaning
        rule = decision?.rule ?? .status
        cookies = response.cookieChanges
        challenges = response.challengeErrors.filter(\.isErrorCode)
        let status = GRPCStatus.code(of: response)
        grpcStatus = status
        // No cache stores the answer to a call of gRPC.
        forbidsStoring =
            status != nil
            || response.headers.contains {
                $0.name.isEqualIgnoringCase("cache-control")
                    && $0.value.asciiLowercased.containsBytes(of: "no-store")
            }
        let isSuccess =
            ResponseClass(status: response.status) == .success && grpcStatus ?? 0 == 0
        readCookies()
        let isPlain =
            (method == "GET" || method == "HEAD")
            && !(sent?.queryFields.keys.contains(where: recognition.credentials.isCredential)
                ?? false)
        readBody(of: response, isSuccess: isSuccess, isPlain: isPlain)
        if isSuccess { readHeaders(of: response) }
        promoteIDToken(isPlain: isPlain)
        if errorCode == nil, let name = grpcStatus.flatMap(GRPCStatus.name) {
            (errorCode, errorKey) = (name, GRPCStatus.field)
        }
        refuses = recognition.refusals.refused(
            by: AnswerTraits(
                status: response.status,
                errorCode: errorCode,
                challenges: challenges,
                json: json,
                isEmpty: isEmpty,
                location: sent.flatMap {
                    recognition.signInRedirection(of: $0, to: response.header("Location"))
                },
                grpcStatus: grpcStatus
            )
        )
        saysRefusal = recognition.saysRefusal(in: response, json)
        saysForgery = recognition.saysForgery(in: response, json)
        let isShown =
            errorCode.map { recognition.isPublicCode($0) || secrets.hiding(in: $0) == $0 } ?? false
        if !isShown || isSuccess && refuses.isEmpty { (errorCode, errorKey) = (nil, nil) }
        guard let meaning else { return }
        guard let issued = meaning.tokens else {
            tokens = []
            return
        }
        tokens.merge(issued.found)
        user = issued.statements.user ?? user
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
                        FoundToken(place: .cookie, name: cookie.name, role: .unknown, secret: value)
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

    private mutating func readBody(
        of response: WireResponse,
        isSuccess: Bool,
        isPlain: Bool
    ) {
        let xml =
            XMLFields.isXML(response.header("Content-Type"))
            ? XMLFields.parse(response.body) : nil
        guard let json = xml ?? ResponseBody(response, by: recognition).json else {
            readRedirection(of: response)
            let text = String(decoding: response.body.prefix(8_192), as: UTF8.self)
            if isSuccess, !isPlain { readWhole(text) }
            return
        }
        let strings = KeyedStrings(json, by: recognition)
        secrets += strings.secrets
        scopes = Self.scopes(in: json)
        readError(json)
        self.json = json
        guard isSuccess else { return }
        // No profile can name a place in XML.
        let inBody = strings.tokens(in: .body).map { xml != nil ? $0.withoutPlace : $0 }
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
            .map { xml != nil ? $0.withoutPlace : $0 }
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

    /// Reads what an answer adds to the address that it redirects to: tokens in the fragment, an error
    /// in either part (RFC 6749 section 4.2.2).
    private mutating func readRedirection(of response: WireResponse) {
        guard (300..<400).contains(response.status), let location = response.header("Location")
        else { return }
        let (address, fragment) = location.halves(at: "#") ?? (location[...], nil)
        for (part, isFragment) in [(fragment, true), (address.halves(at: "?")?.after, false)] {
            guard let part else { continue }
            let form = JSONValue.object(FormEncoding.decode(part).mapValues(JSONValue.string))
            let strings = KeyedStrings(form, by: recognition)
            secrets += strings.secrets + strings.proofs
            // A `code` is that of a login here.
            if errorCode == nil, let code = form["error"]?.stringValue, code.isErrorCode {
                errorCode = code
            }
            guard isFragment else { continue }
            scopes = Self.scopes(in: form)
            // Nor in a fragment.
            tokens += strings.tokens(in: .body).map(\.withoutPlace)
        }
    }

    private mutating func readHeaders(of response: WireResponse) {
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

    /// Returns the scopes that an answer states, as one text (RFC 6749 section 5.1) or as a list.
    private static func scopes(in json: JSONValue) -> Set<String>? {
        let found = ["scope", "scopes"].lazy.map(json.values).first { !$0.isEmpty }
        let texts = found?.compactMap(\.stringValue) ?? []
        guard !texts.isEmpty else { return nil }
        let words = texts.flatMap { $0.utf8.split { " ,".utf8.contains($0) } }
        return Set(words.prefix(64).map { String(Substring($0)) })
    }

    private mutating func readError(_ json: JSONValue) {
        guard let found = recognition.errorCode(in: json) else { return }
        (errorCode, errorKey) = found
    }
}

extension Recognition {
    /// Returns the code of an error in an answer, and the path of keys that leads to it unless that
    /// leads through a list, or `nil` if there is none.
    func errorCode(in json: JSONValue) -> (code: String, key: String?)? {
        for place in errorPlaces {
            let code = json.values(along: place).lazy.compactMap { value -> String? in
                // A number is often the status again.
                if let number = value.numberValue, number < 600 { return nil }
                return value.displayText.flatMap { $0.isErrorCode ? $0 : nil }
            }
            .first
            guard let code else { continue }
            return (code, json.value(at: place)?.displayText == code ? place : nil)
        }
        return nil
    }
}

extension String {
    /// Whether it is a few words or a number, as the codes of errors are, and no text that may be a
    /// secret: digits follow the letters of a word, as in `AADSTS70008`; a number may be negative.
    var isErrorCode: Bool {
        guard (1...40).contains(utf8.count) else { return false }
        let text = utf8.first == UInt8(ascii: "-") ? utf8.dropFirst() : utf8[...]
        let words = text.split(omittingEmptySubsequences: false) { "_.-".utf8.contains($0) }
        return words.allSatisfy { word in
            let digits = word.drop(while: \.isLetter)
            return !word.isEmpty
                && (digits.isEmpty || word.count <= 12 && digits.allSatisfy(\.isDigit))
        }
    }
}
