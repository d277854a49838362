import Basics
import FoundationEssentials

/// A cookie that a response sets (RFC 6265 section 5.2).
struct SetCookie: Sendable, Hashable {
    /// A response's change of a cookie.
    enum Change: Sendable, Hashable {
        case set(SetCookie)
        /// It has expired as it came.
        case deleted
    }

    let name: String
    /// As it is written, since a browser sends it back unchanged.
    let value: String
    /// In seconds; 0 or less deletes the cookie.
    private(set) var maxAge: Double?
    private(set) var expires: Date?
    /// Whether an `Expires` cannot be read.
    private(set) var isExpiresUnreadable = false
    /// The attributes by which cookies of the same name differ.
    private(set) var domain = ""
    private(set) var path = ""

    /// Parses the value of a `Set-Cookie` header; `nil` if it names no cookie.
    init?(_ header: String) {
        let parts = header.parts(at: ";", keepsEmpty: true)
        guard let first = parts.first, let pair = Cookies.pairs(in: String(first)).first,
            !pair.name.isEmpty
        else { return nil }
        (name, value) = pair
        // The last attribute of a name counts.
        for part in parts.dropFirst() {
            let halves = part.parts(at: "=", limit: 2, keepsEmpty: true)
            let value = halves.count > 1 ? Cookies.trimmed(halves[1]) : ""
            switch Cookies.trimmed(halves[0]).asciiLowercased {
            case "max-age": maxAge = Self.seconds(value) ?? maxAge
            case "expires":
                let date = HTTPDate.parse(value)
                isExpiresUnreadable = date == nil
                expires = date ?? expires
            case "domain": domain = value.asciiLowercased
            case "path": path = value
            default: continue
            }
        }
    }

    /// Returns what a response does with a cookie, or `nil` if it does not mention it.
    ///
    /// A cookie of the same name, domain and path replaces an earlier one; if several are left,
    /// the last one counts.
    static func change(of name: String, in response: WireResponse) -> Change? {
        var left: [SetCookie] = []
        for header in response.headers where header.name.isEqualIgnoringCase("set-cookie") {
            guard let cookie = SetCookie(header.value), cookie.name == name else { continue }
            left.removeAll { $0.domain == cookie.domain && $0.path == cookie.path }
            left.append(cookie)
        }
        let present = left.last { !$0.isOver(by: response.date) }
        return present.map { .set($0) } ?? (left.isEmpty ? nil : .deleted)
    }

    /// Returns whether the cookie has expired as it comes; `Max-Age` precedes `Expires`.
    ///
    /// Without the server's clock, only a date that is past by any clock is over.
    private func isOver(by date: Date?) -> Bool {
        if let maxAge { return maxAge <= 0 }
        return expires.map { $0 <= date ?? Self.certainlyPast } ?? false
    }

    /// A time that is past by any clock; what deletes a cookie is usually of 1970.
    private static let certainlyPast = Date(timeIntervalSince1970: 1_735_689_600)

    /// Parses a whole number; anything else is no `Max-Age` (RFC 6265 section 5.2.2).
    private static func seconds(_ text: String) -> Double? {
        let digits = text.part(after: "-") ?? text[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Double(text)
    }
}
