import Basics

/// The `WWW-Authenticate` header (RFC 9110 section 11.6.1).
package enum Challenge {
    /// The errors that say that the token is not valid (RFC 6750 section 3.1).
    static let tokenErrors: Set<String> = ["invalid_token"]

    /// The errors that are not about the token, but about what it is good for (RFC 6750 section 3.1),
    /// how its user has logged in (RFC 9470 section 3), or which claims Entra ID wants to see.
    package static let otherErrors: Set<String> = [
        "insufficient_scope", "insufficient_user_authentication", "insufficient_claims",
    ]

    /// The parameters that say what a request would have to bring instead; those of Entra ID's claims are
    /// for its own libraries.
    private static let demands = ["scope", "acr_values", "max_age"]

    /// The size of the longest field that is parsed, in bytes.
    private static let sizeLimit = 4096

    /// Returns the `error` parameters of all challenges (RFC 6750 section 3), in lower case.
    static func errors(in response: WireResponse) -> Set<String> {
        Set(values(of: "error", in: response).map(\.asciiLowercased))
    }

    /// Returns what a challenge asks for that another token would not bring: its error, and what would do,
    /// such as `insufficient_user_authentication acr_values=phr max_age=300`.
    static func demand(of error: String, in response: WireResponse) -> String {
        let parts = demands.compactMap { name in
            values(of: name, in: response).first.map { "\(name)=\($0)" }
        }
        return ([error] + parts).joined(separator: " ")
    }

    /// Returns what the challenges say of the refusal, or `nil` if they say nothing.
    static func words(in response: WireResponse) -> String? {
        values(of: "error_description", in: response).first
            ?? values(of: "error", in: response).first
    }

    /// Returns the first value of a parameter, or `nil` if no challenge has it.
    static func parameter(_ name: String, in response: WireResponse) -> String? {
        values(of: name, in: response).first
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
