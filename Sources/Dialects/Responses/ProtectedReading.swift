import Tokens

/// Parsing of responses without tokens.
extension Dialect {
    package func readLogout(_ response: WireResponse) -> LogoutResponse {
        switch response.status {
        case 200..<300: .acknowledged(status: response.status)
        case 401, 404: .tokenUnknown(status: response.status)
        default: .failed(status: response.status, retryAfter: response.retryAfter)
        }
    }

    /// Parses a response.
    ///
    /// An HTML page in place of data comes from a captive portal and says nothing about the token;
    /// neither does 403 unless the dialect lists it.
    package func readProtected(_ response: WireResponse) -> ProtectedResponse {
        let exchange = protected ?? ProtectedExchange(request: login.request)
        let status = response.status
        if ResponseClass.isNeverTerminal(status) {
            return .inconclusive(retryAfter: response.retryAfter)
        }
        let errors = Challenge.errors(in: response)
        if !errors.isDisjoint(with: exchange.keptErrors) {
            return .inconclusive(retryAfter: response.retryAfter)
        }
        let isNamed = !errors.isDisjoint(with: exchange.expiredErrors)
        if exchange.expired.contains(status) || (400..<500).contains(status) && isNamed {
            return .tokenRejected
        }
        switch status {
        case 200..<300 where !ResponseBody(response).isHTML: return .accepted
        case 304, 409, 412, 422: return .accepted
        default: return .inconclusive(retryAfter: response.retryAfter)
        }
    }
}

/// The `WWW-Authenticate` header (RFC 9110 section 11.6.1).
enum Challenge {
    /// The size of the longest field that is parsed, in bytes.
    private static let sizeLimit = 4096

    /// Returns the `error` parameters of all challenges (RFC 6750 section 3), in lower case.
    static func errors(in response: WireResponse) -> Set<String> {
        let fields = response.headers.filter { $0.name.lowercased() == "www-authenticate" }
        return fields.reduce(into: []) { errors, field in
            guard field.value.utf8.count <= sizeLimit else { return }
            for part in parts(of: field.value) {
                let halves = part.split(separator: "=", maxSplits: 1)
                // A challenge's first parameter follows its scheme.
                guard halves.count == 2,
                    halves[0].split(separator: " ").last?.lowercased() == "error"
                else { continue }
                errors.insert(unquoted(halves[1]).lowercased())
            }
        }
    }

    /// Splits the field at commas outside quotes.
    private static func parts(of field: String) -> [Substring] {
        var isQuoted = false
        var isEscaped = false
        return field.split { character in
            defer { isEscaped = isQuoted && character == "\\" && !isEscaped }
            if character == "\"", !isEscaped { isQuoted.toggle() }
            return character == "," && !isQuoted
        }
    }

    private static func unquoted(_ text: Substring) -> String {
        text.filter { $0 != "\"" && $0 != " " && $0 != "\t" }
    }
}
