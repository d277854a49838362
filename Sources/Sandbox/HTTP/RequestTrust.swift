import Basics
import Profiles

/// Distinguishes requests that are meant for the sandbox from those that a web page makes in the
/// user's browser.
///
/// A page can reach a server on this machine in two ways: under a host name of its own that
/// resolves to 127.0.0.1 (DNS rebinding), which the `Host` of the request reveals, and with a
/// cross-origin request, which the browser marks with `Origin` and `Sec-Fetch-Site`.
struct RequestTrust: Sendable {
    /// Whether other machines can reach the sandbox, and hence use an address that it does not
    /// know.
    private let isExposed: Bool
    /// The allowed host names besides those of this machine, in lower case.
    private let names: Set<String>

    init(_ configuration: SandboxConfiguration) {
        isExposed = !configuration.isLoopback
        names = Set(([configuration.host] + configuration.allowedHosts).map { $0.asciiLowercased })
    }

    /// Returns the response to a request whose `Host` is not the sandbox's, or `nil` if it is.
    ///
    /// An address cannot be rebound, so an exposed sandbox accepts any.
    func refusal(ofHostIn request: WireRequest) -> WireResponse? {
        let values = request.values(of: "Host")
        guard values.count == 1, let host = RequestHost(values[0]) else {
            return .detail(400, "Expected one Host header with a name or an address")
        }
        guard !admits(host) else { return nil }
        return .detail(
            421,
            "This sandbox does not answer to the name \(host.name.inOneLine(limit: 60)), so that no "
                + "web page can reach it under a name of its own (DNS rebinding). Use localhost or "
                + "127.0.0.1, or start it with --allow-host NAME"
        )
    }

    /// Returns the response to a request for the sandbox's own pages that a web page may have made,
    /// or `nil` if no web page can have made it.
    func refusal(ofOwn request: WireRequest) -> WireResponse? {
        let own = request.header("Host").map { "http://\($0.asciiLowercased)" }
        let isForeign = request.values(of: "Origin").contains { $0.asciiLowercased != own }
        let isCrossSite = request.values(of: "Sec-Fetch-Site").contains { site in
            !["same-origin", "none"].contains(site.asciiLowercased)
        }
        guard !isForeign, !isCrossSite else {
            return .detail(403, "A web page of another origin has no access to the sandbox")
        }
        guard request.method == "POST", !hasUsualType(request) else { return nil }
        return .detail(415, "Expected Content-Type: application/json")
    }

    /// Returns the response to a feed request that a page of another machine made, or `nil` for any
    /// other.
    ///
    /// Browsers allow WebSockets to every origin unless the server rejects them (RFC 6455 section
    /// 10.2).
    func refusal(ofFeed request: WireRequest) -> WireResponse? {
        let isForeign = request.values(of: "Origin").contains { origin in
            guard let separator = origin.range(ofBytes: "://"),
                let host = RequestHost(String(origin[separator.upperBound...]))
            else { return true }
            return !admits(host)
        }
        return isForeign
            ? .detail(403, "A web page of another origin has no access to the feed") : nil
    }

    private func admits(_ host: RequestHost) -> Bool {
        host.isLoopback || names.contains(host.name) || isExposed && host.isAddress
    }

    /// Returns whether the type is JSON, or curl's default.
    ///
    /// A form in a web page can have that type too, but then its body is never JSON; the types with
    /// which it could be JSON are rejected.
    private func hasUsualType(_ request: WireRequest) -> Bool {
        request.values(of: "Content-Type").allSatisfy { value in
            let type = value.part(before: ";").trimmingBlanks.asciiLowercased
            return ["application/json", "application/x-www-form-urlencoded"].contains(type)
        }
    }
}

extension WireRequest {
    fileprivate func values(of name: String) -> [String] {
        headers.filter { $0.name.asciiLowercased == name.asciiLowercased }.map(\.value)
    }
}
