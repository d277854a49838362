import Basics
import Profiles

/// The addresses to which answers have redirected, with the numbers of their exchanges.
struct Redirects: Sendable {
    private static let statuses: Set = [301, 302, 303, 307, 308]

    private var sources = RecentMap<SecretDigest, Int>(limit: 256)

    mutating func add(_ answer: WireResponse, to request: WireRequest, _ number: Int) {
        guard Self.statuses.contains(answer.status), let location = answer.header("Location"),
            let address = Self.address(location, from: request)
        else { return }
        sources[Self.digest(address)] = number
    }

    /// Returns the newest exchange that has redirected to the URL of a request, or `nil` if none has.
    func source(of request: WireRequest) -> Int? {
        guard let origin = request.origin else { return nil }
        return sources[Self.digest(Self.canonical(origin) + request.target)]
    }

    /// Returns the absolute form of a `Location` without its fragment (RFC 3986 section 5.2), or `nil` if
    /// it is none of HTTP.
    private static func address(_ location: String, from request: WireRequest) -> String? {
        guard let origin = request.origin else { return nil }
        let place = String(location.trimmingBlanks).part(before: "#")
        if let mark = place.range(ofBytes: "://") {
            let scheme = place[..<mark.upperBound].asciiLowercased
            guard ["http://", "https://"].contains(scheme) else { return nil }
            return address(scheme, place[mark.upperBound...])
        }
        if place.begins(with: "//") {
            guard let mark = origin.range(ofBytes: "//") else { return nil }
            return address(String(origin[..<mark.upperBound]), place.dropFirst(2))
        }
        if place.begins(with: "/") { return canonical(origin) + place }
        if place.begins(with: "?") { return canonical(origin) + request.path + place }
        guard !place.isEmpty else { return nil }
        let folders = request.path.parts(at: "/", keepsEmpty: true).dropLast()
        return canonical(origin) + folders.joined(separator: "/") + "/" + place
    }

    private static func address(_ scheme: String, _ rest: Substring) -> String {
        let authority = rest.part(before: "/").part(before: "?")
        let target = rest[authority.endIndex...]
        return canonical(scheme + authority.asciiLowercased)
            + (target.begins(with: "/") ? String(target) : "/" + target)
    }

    /// Leaves out the port that a scheme has anyway.
    private static func canonical(_ origin: String) -> String {
        for (scheme, port) in [("http://", ":80"), ("https://", ":443")]
        where origin.begins(with: scheme) && origin.ends(with: port) {
            return String(origin.utf8.dropLast(port.utf8.count)) ?? origin
        }
        return origin
    }

    private static func digest(_ address: String) -> SecretDigest { SecretDigest(Secret(address)) }
}

extension WireRequest {
    /// Whether it says that its answer is not asked for yet.
    var isPrefetch: Bool {
        ["Sec-Purpose", "Purpose", "X-Purpose", "X-Moz"].contains { name in
            header(name)?.asciiLowercased.containsBytes(of: "prefetch") ?? false
        } || header("Next-Router-Prefetch") == "1"
    }

    /// The origin of the page of another origin that has sent it, or `nil` if none has.
    fileprivate var foreignOrigin: String? {
        guard let page = header("Origin")?.asciiLowercased, page.begins(with: "http"),
            page != origin?.asciiLowercased
        else { return nil }
        return page
    }
}

extension WireResponse {
    /// Whether a page of another origin can read it (Fetch, section 4.10), or `nil` if none has asked.
    func isReadable(byPageOf request: WireRequest) -> Bool? {
        guard let page = request.foreignOrigin else { return nil }
        let allowed = header("Access-Control-Allow-Origin").map { String($0.trimmingBlanks) }
        return allowed == "*" || allowed?.asciiLowercased == page
    }

    /// Whether it lets a page of another origin that can read it read a header field, too (Fetch, section
    /// 3.3.3).
    ///
    /// For a request with cookies, `*` is a name.
    func exposes(_ field: String, toPageOf request: WireRequest) -> Bool {
        headers.filter { $0.name.isEqualIgnoringCase("access-control-expose-headers") }
            .flatMap { $0.value.parts(at: ",") }
            .map { String($0.trimmingBlanks) }
            .contains { name in
                name.isEqualIgnoringCase(field) || name == "*" && request.header("Cookie") == nil
            }
    }
}
