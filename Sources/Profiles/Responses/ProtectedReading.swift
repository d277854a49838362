import Basics

/// Parsing of responses without tokens.
extension Dialect {
    package func readLogout(_ response: WireResponse) -> LogoutResponse {
        decideLogout(response).meaning
    }

    /// Parses a response to a logout, and returns what decided its meaning, too.
    package func decideLogout(_ response: WireResponse) -> Decision<LogoutResponse> {
        let status = response.status
        switch status {
        case 200..<300: return Decision(.acknowledged(status: status), by: .status)
        case 401, 404: return Decision(.tokenUnknown(status: status), by: .status)
        default:
            let isNever = ResponseClass.isNeverTerminal(status)
            return Decision(
                .failed(status: status, retryAfter: response.retryAfter),
                by: isNever ? .neverTerminal : .unlisted
            )
        }
    }

    /// Parses a response.
    ///
    /// An HTML page in place of data comes from a captive portal and says nothing about the token;
    /// neither does 403 unless the dialect lists it.
    package func readProtected(_ response: WireResponse) -> ProtectedResponse {
        decideProtected(response).meaning
    }

    /// Parses a response, and returns what decided its meaning, too.
    ///
    /// With a status of success, or 400 and 403 that the profile does not list, the body may refuse
    /// the token.
    package func decideProtected(
        _ response: WireResponse,
        by recognition: Recognition = .builtIn
    ) -> Decision<ProtectedResponse> {
        let exchange = protected ?? ProtectedExchange(request: login.request)
        let status = response.status
        let inconclusive = ProtectedResponse.inconclusive(retryAfter: response.retryAfter)
        if ResponseClass.isNeverTerminal(status) {
            return Decision(inconclusive, by: .neverTerminal)
        }
        let errors = Challenge.errors(in: response)
        let keptErrors = exchange.keptErrors.union(bindsTokens ? ProofOfPossession.errors : [])
        if let kept = errors.intersection(keptErrors).min() {
            return Decision(inconclusive, by: .notExpiredError(kept))
        }
        if exchange.expired.contains(status) { return Decision(.tokenRejected, by: .expired) }
        let named = errors.intersection(exchange.expiredErrors).min()
        if let named, (400..<500).contains(status) {
            return Decision(.tokenRejected, by: .expiredError(named))
        }
        switch status {
        case 200..<300, 400, 403:
            let json = ResponseBody(response).json
            let parts = AnswerTraits(
                status: status,
                errorCode: json.flatMap(recognition.errorCode)?.code,
                challenges: errors,
                json: json
            )
            if recognition.refusals.refused(by: parts).contains(.access) {
                return Decision(.tokenRejected, by: .recognized)
            }
        default: break
        }
        switch status {
        case 200..<300:
            return ResponseBody(response).isHTML
                ? Decision(inconclusive, by: .unreadable) : Decision(.accepted, by: .success)
        case 304, 409, 412, 422: return Decision(.accepted, by: .status)
        default: return Decision(inconclusive, by: .unlisted)
        }
    }
}

/// The `WWW-Authenticate` header (RFC 9110 section 11.6.1).
enum Challenge {
    /// The size of the longest field that is parsed, in bytes.
    private static let sizeLimit = 4096

    /// Returns the `error` parameters of all challenges (RFC 6750 section 3), in lower case.
    static func errors(in response: WireResponse) -> Set<String> {
        Set(values(of: "error", in: response).map(\.asciiLowercased))
    }

    /// Returns what the challenges say of the refusal, or `nil` if they say nothing.
    static func words(in response: WireResponse) -> String? {
        values(of: "error_description", in: response).first
            ?? values(of: "error", in: response).first
    }

    /// Returns the values of a parameter of all challenges.
    private static func values(of name: String, in response: WireResponse) -> [String] {
        let fields = response.headers.filter {
            $0.name.isEqualIgnoringCase("www-authenticate") && $0.value.utf8.count <= sizeLimit
        }
        return fields.flatMap { parts(of: $0.value) }.compactMap { part in
            let halves = part.parts(at: "=", limit: 2)
            // A challenge's first parameter follows its scheme.
            guard halves.count == 2, halves[0].parts(at: " ").last?.asciiLowercased == name else {
                return nil
            }
            let value = unquoted(halves[1])
            return value.isEmpty ? nil : value
        }
    }

    /// Splits the field at commas outside quotes.
    private static func parts(of field: String) -> [Substring] {
        var isQuoted = false
        var isEscaped = false
        return field.unicodeScalars.split { scalar in
            defer { isEscaped = isQuoted && scalar == "\\" && !isEscaped }
            if scalar == "\"", !isEscaped { isQuoted.toggle() }
            return scalar == "," && !isQuoted
        }
        .map(Substring.init)
    }

    private static func unquoted(_ text: Substring) -> String {
        var value = Substring(text.unicodeScalars.filter { $0 != "\"" }.map(Character.init))
        func isBlank(_ scalar: Unicode.Scalar?) -> Bool { scalar == " " || scalar == "\t" }
        while isBlank(value.unicodeScalars.first) { value.unicodeScalars.removeFirst() }
        while isBlank(value.unicodeScalars.last) { value.unicodeScalars.removeLast() }
        return String(value)
    }
}
