import Basics
import Platform

/// The proxy's changes to heads, so that an app that talks to it works as with the backend.
///
/// The connection of the app and that to the backend belong together, so `Connection: close`,
/// `keep-alive` and `Keep-Alive` hold for both, and stay.
struct HeadRewriter: Sendable {
    /// The fields that are left or added, as the server's `ProxyConfiguration` has them.
    struct Options: Sendable, Hashable {
        /// Whether the backend gets the `Host` that the app sent.
        var keepsHost = false
        /// Whether the app's `Accept-Encoding` stays, although such bodies cannot be read.
        var keepsEncoding = false
        /// Whether `X-Forwarded-For`, `-Host` and `-Proto` are added.
        var addsForwarded = false
        /// The pages that get to read answers which the backend keeps from their origins, or `nil` if
        /// what answers say of that stays.
        var crossOriginAccess: CrossOriginAccess?
        /// Whether the app uses the address of the backend itself, so that nothing is rewritten but
        /// what concerns one connection, and what `keepsEncoding` says.
        var isTransparent = false
    }

    private let origins: ProxiedOrigins
    private let index: Int
    private let options: Options

    /// - Parameters:
    ///   - origins: All origins behind the proxy.
    ///   - index: That of the origin whose heads are rewritten.
    ///   - options: The fields that are left or added.
    init(_ origins: ProxiedOrigins, index: Int, options: Options = Options()) {
        self.origins = origins
        self.index = index
        self.options = options
    }

    /// Whether the app uses the address of the backend itself.
    var isTransparent: Bool { options.isTransparent }

    private var origin: BackendOrigin { origins.all[index].origin }

    /// Whether the app reaches the proxy by https.
    private var isSecure: Bool { origins.scheme == "https" }

    func use(by request: RequestMessage) -> AppAddress {
        AppAddress(
            index: index,
            authority: request.authority ?? "127.0.0.1:\(origins.all[index].port)"
        )
    }

    /// Returns the target as a path, `nil` if it is that of another server.
    ///
    /// A server accepts the URL of itself (RFC 9112 section 3.2.2).
    func localTarget(of request: RequestMessage) -> String? {
        if request.target.begins(with: "/") { return request.target }
        if request.target == "*" { return request.method == "OPTIONS" ? "*" : nil }
        guard !options.isTransparent else { return nil }
        let mark = "\(origins.scheme)://\(use(by: request).authority)"
        guard request.target.asciiLowercased.begins(with: mark.asciiLowercased) else { return nil }
        let rest = Substring(request.target.utf8.dropFirst(mark.utf8.count))
        switch rest.utf8.first {
        case nil: return "/"
        case UInt8(ascii: "/"): return String(rest)
        case UInt8(ascii: "?"): return "/\(rest)"
        default: return nil
        }
    }

    /// Rewrites a request for the backend.
    ///
    /// - Parameters:
    ///   - request: The app's, whose target is a path.
    ///   - peer: The app's address.
    ///   - isChanged: Whether the answer's body is to be changed.
    /// - Returns: The head that the backend gets.
    func request(
        _ request: RequestMessage,
        from peer: String,
        isChanged: Bool = false
    ) -> RequestMessage {
        let use = use(by: request)
        let codings =
            isChanged || rewritesBody(of: request)
            ? ["identity"] : BodyTap.readableCodings
        let asksForSocket = request.asksForSocket
        let hops = HopByHop(request.fields, keepsUpgrade: asksForSocket)
        var result = request
        result.target = origin.addingPrefix(to: request.target)
        result.fields = request.fields.compactMap { field in
            guard var field = hops.rewriting(field), !field.key.begins(with: "x-authtop-") else {
                return nil
            }
            switch field.key {
            case "accept-encoding":
                if isChanged || !options.keepsEncoding {
                    field.value = Self.acceptable(field.value, codings)
                }
            case "upgrade", "sec-websocket-key":
                if !asksForSocket { return nil }
            case _ where options.isTransparent: break
            case "host":
                if !options.keepsHost { field.value = origin.authority }
            case "origin", "referer":
                field.value = origins.backendAddress(of: field.value, use: use) ?? field.value
            case "cookie":
                if !isSecure { field.value = CookieRewriter.restoringPrefixes(in: field.value) }
            default: break
            }
            return field
        }
        if options.addsForwarded {
            result.fields += [
                HeadField("X-Forwarded-For", peer),
                HeadField("X-Forwarded-Host", use.authority),
                HeadField("X-Forwarded-Proto", origins.scheme),
            ]
        }
        return result
    }

    /// Rewrites an answer for the app.
    ///
    /// - Parameters:
    ///   - response: The backend's.
    ///   - request: The app's request.
    /// - Returns: The head that the app gets.
    func response(_ response: ResponseMessage, to request: RequestMessage) -> ResponseMessage {
        let use = use(by: request)
        let mayUpgrade = response.status == 101 || response.status == 426
        let hops = HopByHop(response.fields, keepsUpgrade: mayUpgrade)
        var result = response
        result.fields = response.fields.compactMap { field in
            guard var field = hops.rewriting(field) else { return nil }
            switch field.key {
            case "upgrade":
                if !mayUpgrade { return nil }
            case _ where options.isTransparent: break
            case "location", "content-location":
                field.value = address(field.value, use)
            case "link":
                field.value = links(field.value, use)
            case "www-authenticate":
                field.value = challenge(field.value, use)
            case "refresh":
                field.value = refresh(field.value, use)
            case "access-control-allow-origin":
                field.value = origins.appAddress(of: field.value, use: use) ?? field.value
            case "set-cookie":
                field.value = CookieRewriter.forApp(field.value, isSecure: isSecure) {
                    origin.removingPrefix(from: $0)
                }
            case "alt-svc", "strict-transport-security": return nil
            default: break
            }
            return field
        }
        return result
    }

    /// Returns what is added to the backend's answer for a page of another origin, or `nil` if nothing
    /// is.
    func addition(to response: ResponseMessage, of request: RequestMessage) -> CrossOriginAddition?
    {
        guard let access = options.crossOriginAccess else { return nil }
        return CrossOriginAddition(
            to: response,
            of: request,
            at: "\(origins.scheme)://\(use(by: request).authority)",
            for: access
        )
    }

    /// Whether an answer is held to rewrite the addresses in it.
    func rewritesBody(of request: RequestMessage) -> Bool {
        !options.isTransparent && DiscoveryDocument.isAsked(for: request)
    }

    /// Returns the metadata of a provider with the addresses by which the app reaches its
    /// endpoints.
    func discovery(_ body: [UInt8], to request: RequestMessage) -> [UInt8] {
        let use = use(by: request)
        return DiscoveryDocument.rewriting(body) { origins.appAddress(of: $0, use: use) }
    }

    /// Whether metadata name an issuer at another address than the one at which the app read them, which
    /// a client must refuse (RFC 8414 section 3.3).
    func namesOtherIssuer(_ body: [UInt8], to request: RequestMessage) -> Bool {
        guard let issuer = DiscoveryDocument.issuer(in: body)?.asciiLowercased else { return false }
        let own = "\(origins.scheme)://\(use(by: request).authority)".asciiLowercased
        return issuer != own && !issuer.begins(with: "\(own)/")
    }

    private func address(_ url: String, _ use: AppAddress) -> String {
        if let address = origins.appAddress(of: url, use: use) { return address }
        guard url.begins(with: "/"), !url.begins(with: "//") else { return url }
        return origin.removingPrefix(from: url) ?? url
    }

    /// Rewrites the URLs in angle brackets (RFC 8288 section 3).
    private func links(_ value: String, _ use: AppAddress) -> String {
        value.replacing(/<([^<>]*)>/.matchingSemantics(.unicodeScalar)) {
            "<\(address(String($0.1), use))>"
        }
    }

    private func refresh(_ value: String, _ use: AppAddress) -> String {
        value.replacing(/(?i)(url\s*=\s*["']?)([^"'\s]+)/.matchingSemantics(.unicodeScalar)) {
            "\($0.1)\(address(String($0.2), use))"
        }
    }

    /// Rewrites the URL of the metadata of a protected resource (RFC 9728 section 5.1), so that they are
    /// read through the proxy.
    private func challenge(_ value: String, _ use: AppAddress) -> String {
        value.replacing(
            /(?i)(resource_metadata\s*=\s*"?)([^"\s,]+)/.matchingSemantics(.unicodeScalar)
        ) {
            "\($0.1)\(address(String($0.2), use))"
        }
    }

    /// Returns an `Accept-Encoding` with these codings only.
    private static func acceptable(_ value: String, _ codings: Set<String>) -> String {
        let all = HeadField.list(value)
        let kept = all.filter { element in
            codings.contains(element.part(before: ";").trimmingBlanks.asciiLowercased)
        }
        guard !kept.isEmpty else { return "identity" }
        return kept.count == all.count ? value : kept.joined(separator: ", ")
    }
}

/// The fields that concern one connection only (RFC 9110 section 7.6.1).
private struct HopByHop {
    /// Fields that no message may declare to be of one connection.
    private static let endToEnd: Set<String> = [
        "authorization", "content-length", "cookie", "host", "transfer-encoding",
    ]
    private static let always: Set<String> = [
        "proxy-authenticate", "proxy-authorization", "proxy-connection",
    ]

    /// Options of `Connection` that name no field of one connection.
    private static let options: Set<String> = ["close", "keep-alive", "te", "upgrade"]

    /// The fields that `Connection` names.
    private let named: Set<String>
    private let keepsUpgrade: Bool
    private let acceptsTrailers: Bool

    /// - Parameters:
    ///   - fields: Those of the head.
    ///   - keepsUpgrade: Whether `upgrade` stays in `Connection`, as `close` and `keep-alive` do.
    init(_ fields: [HeadField], keepsUpgrade: Bool) {
        var named: Set<String> = []
        for field in fields where field.key == "connection" {
            for option in field.list.lazy.map(\.asciiLowercased)
            where !Self.options.contains(option) && !Self.endToEnd.contains(option) {
                named.insert(option)
            }
        }
        self.named = named
        self.keepsUpgrade = keepsUpgrade
        acceptsTrailers = fields.list("te", contains: "trailers")
    }

    /// Whether an option of `Connection` stays.
    private func keeps(_ option: Substring) -> Bool {
        switch option.asciiLowercased {
        case "close", "keep-alive": true
        case "upgrade": keepsUpgrade
        case "te": acceptsTrailers
        default: false
        }
    }

    /// Returns the field as it is passed on, or `nil` if it is not.
    func rewriting(_ field: HeadField) -> HeadField? {
        switch field.key {
        case "connection":
            let list = field.list
            let options = list.filter(keeps)
            guard !options.isEmpty else { return nil }
            return options.count == list.count
                ? field : HeadField(field.name, options.joined(separator: ", "))
        case "te":
            return acceptsTrailers ? HeadField(field.name, "trailers") : nil
        default:
            return named.contains(field.key) || Self.always.contains(field.key) ? nil : field
        }
    }
}
