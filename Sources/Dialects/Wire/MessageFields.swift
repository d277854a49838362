package import Tokens

/// The parts of a message in which a token may be, for readers that have no dialect.
extension WireRequest {
    /// The names and values of its cookies, decoded.
    package var cookies: [(name: String, value: String)] {
        headers.filter(\.isCookie).flatMap { Cookies.pairs(in: $0.value) }
            .map { ($0.name, Cookies.decoded($0.value)) }
    }

    /// The query parameters, decoded.
    package var queryFields: [String: String] { queryItems }

    /// The fields of its body as a form, decoded.
    package var formFields: [String: String] {
        FormEncoding.decode(String(decoding: body, as: UTF8.self))
    }

    /// Returns the target with its query decoded and written again.
    ///
    /// - Parameter shown: Returns what to show of a parameter's value.
    /// - Returns: The target.
    package func target(showing shown: (_ name: String, _ value: String) -> String) -> String {
        guard let mark = target.firstIndex(of: "?") else { return target }
        let pairs = target[target.index(after: mark)...].split(separator: "&", maxSplits: 100)
            .map { pair in
                let halves = pair.split(
                    separator: "=",
                    maxSplits: 1,
                    omittingEmptySubsequences: false
                )
                guard halves.count == 2 else { return String(pair) }
                let name = PercentEncoding.decode(halves[0], plusIsSpace: true)
                let value = PercentEncoding.decode(halves[1], plusIsSpace: true)
                return "\(halves[0])=\(shown(name, value))"
            }
        return path + "?" + pairs.joined(separator: "&")
    }
}

/// A cookie that an answer sets or deletes.
package struct CookieChange: Sendable, Hashable {
    package var name: String
    /// Decoded; `nil` if the cookie is deleted.
    package var value: Secret?
    /// What the cookie says of its end.
    package var expiry: ExpiryEvidence?
    /// Its attributes without a value, and `samesite` with its value, in lower case.
    package var flags: Set<String>
}

extension WireResponse {
    /// The cookies that it changes, the last change of each name.
    package var cookieChanges: [CookieChange] {
        var names: [String] = []
        var flags: [String: Set<String>] = [:]
        for header in headers where header.name.isEqualIgnoringCase("set-cookie") {
            guard let cookie = SetCookie(header.value) else { continue }
            if !names.contains(cookie.name) { names.append(cookie.name) }
            let attributes = header.value.split(separator: ";").dropFirst()
            flags[cookie.name] = Set(
                attributes.map { Cookies.trimmed($0).lowercased() }
                    .filter { !$0.contains("=") || $0.hasPrefix("samesite") }
            )
        }
        return names.prefix(64).compactMap { name in
            let shown = flags[name] ?? []
            switch SetCookie.change(of: name, in: self) {
            case .set(let cookie):
                let value = Cookies.decoded(cookie.value)
                let expiry =
                    cookie.maxAge.map { ExpiryEvidence.cookieMaxAge(seconds: $0) }
                    ?? cookie.expires.map { .cookieExpires($0) }
                return CookieChange(
                    name: name,
                    value: value.isEmpty ? nil : Secret(value),
                    expiry: expiry,
                    flags: shown
                )
            case .deleted:
                return CookieChange(name: name, value: nil, expiry: nil, flags: shown)
            case nil: return nil
            }
        }
    }

    /// The `error` parameters of its challenges (RFC 6750 section 3), in lower case.
    package var challengeErrors: Set<String> { Challenge.errors(in: self) }

    /// Whether its body is an HTML page.
    package var isPage: Bool { ResponseBody(self).isHTML }
}
