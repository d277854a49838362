/// What `WWW-Authenticate` says (RFC 9110 section 11.6.1).
enum Challenge {
    /// The longest field that is looked into, in bytes.
    private static let sizeLimit = 4096

    /// The `error` parameters of all challenges (RFC 6750 section 3), in lower case.
    static func errors(in response: WireResponse) -> Set<String> {
        let fields = response.headers.filter { $0.name.lowercased() == "www-authenticate" }
        return fields.reduce(into: []) { errors, field in
            guard field.value.utf8.count <= sizeLimit else { return }
            for part in parts(of: field.value) {
                let halves = part.split(separator: "=", maxSplits: 1)
                // A challenge's first parameter stands behind its scheme.
                guard halves.count == 2,
                    halves[0].split(separator: " ").last?.lowercased() == "error"
                else { continue }
                errors.insert(unquoted(halves[1]).lowercased())
            }
        }
    }

    /// Cut at the commas, but not inside quotes.
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
