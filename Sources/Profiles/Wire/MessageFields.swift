package import Basics

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

    /// The elements of its body, if that is XML.
    package var xml: JSONValue? {
        XMLFields.isXML(header("Content-Type")) ? XMLFields.parse(body) : nil
    }

    /// The text fields of its body as `multipart/form-data` (RFC 7578), without files.
    package var multipartFields: [String: String] {
        guard let type = header("Content-Type"), let mark = type.range(ofBytes: "boundary=") else {
            return [:]
        }
        let boundary = Cookies.decoded(String(type[mark.upperBound...].part(before: ";")))
        guard !boundary.isEmpty else { return [:] }
        var rest = Substring(String(decoding: body.prefix(64 * 1024), as: UTF8.self))
        var fields: [String: String] = [:]
        while let start = rest.range(ofBytes: "--" + boundary), fields.count < 64 {
            rest = rest[start.upperBound...]
            let part = rest[..<(rest.range(ofBytes: "--" + boundary)?.lowerBound ?? rest.endIndex)]
            guard let end = part.range(ofBytes: "\r\n\r\n") else { continue }
            let head = part[..<end.lowerBound]
            guard let name = head.range(ofBytes: " name=\""),
                head.range(ofBytes: "filename=") == nil
            else { continue }
            let value = part[end.upperBound...]
            fields[String(head[name.upperBound...].part(before: "\""))] =
                String(value.part(upTo: "\r\n") ?? value)
        }
        return fields
    }

    /// The parts of its target: the path by its slashes, and what the query has between `&`.
    package var targetParts: (segments: [Substring], query: [Substring]?) {
        // A fragment is not sent; an archive may have one.
        let sent = target.part(before: "#")
        let (path, query) = sent.halves(at: "?") ?? (sent, nil)
        return (path.parts(at: "/", keepsEmpty: true), query?.parts(at: "&"))
    }
}

/// A cookie that an answer sets or deletes.
package struct CookieChange: Sendable, Hashable {
    package var name: String
    /// Decoded; `nil` if the cookie is deleted.
    package var value: Secret?
    /// The cookie's statement about its end.
    var expiry: ExpiryEvidence?
    /// Its attributes without a value, and `samesite` with its value, in lower case.
    package var flags: Set<String>
    /// The path below which it is sent, or `nil` if that is what its request says, or all.
    package var path: String?
    /// The hosts to which it is sent, in lower case, or `nil` if only the one that sets it.
    private(set) var domain: String?
    /// The size of its name and its value, in bytes.
    private(set) var size = 0
}

/// A reason why browsers do not store a cookie, or send it in no request of a page.
package enum CookieObstacle: String, Sendable, Hashable, Codable {
    /// `Secure`, over plain HTTP.
    case insecure
    /// Its name and value are larger than 4096 bytes.
    case tooLarge
    /// Its `Domain` is none of the host's.
    case otherDomain
    /// `SameSite=None` without `Secure`.
    case noneWithoutSecure
    /// A page of another site has sent the request, and the cookie is not `SameSite=None`.
    case crossSite
}

extension CookieChange {
    /// The size from which browsers do not store a cookie, in bytes.
    private static let sizeLimit = 4_096

    /// Returns why a browser does not store it as it comes with the answer to a request to an origin,
    /// or `nil` if nothing is known.
    package func obstacle(to request: WireRequest, at origin: String) -> CookieObstacle? {
        guard value != nil, let start = origin.range(ofBytes: "://"),
            let host = RequestHost(String(origin[start.upperBound...]))
        else { return nil }
        if size > Self.sizeLimit { return .tooLarge }
        let isSecure = flags.contains("secure")
        if isSecure, origin.begins(with: "http://"), !host.isLoopback { return .insecure }
        if let domain = domain?.part(after: ".") ?? domain?[...], host.name != domain,
            !host.name.ends(with: ".\(domain)")
        {
            return .otherDomain
        }
        let isForAll = flags.contains("samesite=none")
        if isForAll, !isSecure { return .noneWithoutSecure }
        let isCrossSite = request.header("Sec-Fetch-Site") == "cross-site"
        return isCrossSite && !isForAll && request.header("Sec-Fetch-Mode") != "navigate"
            ? .crossSite : nil
    }
}

extension WireResponse {
    /// The cookies that it changes, the last change of each name.
    var cookieChanges: [CookieChange] {
        var names: [String] = []
        var flags: [String: Set<String>] = [:]
        for header in headers where header.name.isEqualIgnoringCase("set-cookie") {
            guard let cookie = SetCookie(header.value) else { continue }
            if !names.contains(cookie.name) { names.append(cookie.name) }
            let attributes = header.value.parts(at: ";").dropFirst()
            flags[cookie.name] = Set(
                attributes.map(\.trimmingBlanks.asciiLowercased)
                    .filter { !$0.has("=") || $0.begins(with: "samesite") }
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
                    flags: shown,
                    path: cookie.path.begins(with: "/") && cookie.path != "/" ? cookie.path : nil,
                    domain: cookie.domain.isEmpty ? nil : cookie.domain,
                    size: cookie.name.utf8.count + cookie.value.utf8.count
                )
            case .deleted:
                return CookieChange(name: name, value: nil, expiry: nil, flags: shown)
            case nil: return nil
            }
        }
    }

    /// Whether a cache has sent it, by its age (RFC 9111 section 5.1) or by what caches say of hits, and
    /// it is not said to differ by the credential (`Vary`).
    package var isOfSharedCache: Bool {
        let vary = header("Vary")?.asciiLowercased ?? ""
        guard !["*", "authorization", "cookie"].contains(where: vary.containsBytes) else {
            return false
        }
        if header("Age").flatMap({ Int($0) }).map({ $0 > 0 }) ?? false { return true }
        return ["X-Cache", "CF-Cache-Status", "X-Cache-Status"].contains { name in
            header(name)?.asciiLowercased.begins(with: "hit") ?? false
        }
    }
}
