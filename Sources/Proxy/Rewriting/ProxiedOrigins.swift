import Basics
package import Platform

/// An origin, and the port on which the proxy stands in for it.
package struct ProxiedOrigin: Sendable, Hashable {
    package let origin: BackendOrigin
    package let port: Int

    package init(_ origin: BackendOrigin, port: Int) {
        self.origin = origin
        self.port = port
    }
}

/// The origins behind the proxy, by which addresses are translated in both directions.
struct ProxiedOrigins: Sendable {
    let all: [ProxiedOrigin]
    /// Of the addresses at the proxy.
    let scheme: String
    /// The index by `scheme://authority` in lower case, with and without the default port.
    private let indices: [String: Int]

    /// - Parameters:
    ///   - all: The origins, with their ports at the proxy.
    ///   - isSecure: Whether apps reach the proxy by https.
    init(_ all: [ProxiedOrigin], isSecure: Bool = false) {
        self.all = all
        scheme = isSecure ? "https" : "http"
        var indices: [String: Int] = [:]
        for (index, proxied) in all.enumerated() {
            let address = proxied.origin.withoutPath.description
            for key in [address, "\(address):\(proxied.origin.port)"] {
                indices[key] = indices[key] ?? index
            }
        }
        self.indices = indices
    }

    /// Translates a URL of one of the origins.
    ///
    /// - Parameters:
    ///   - url: An absolute URL, or one without its scheme.
    ///   - use: The address by which the app reached the proxy.
    /// - Returns: The address by which the app reaches it, or `nil` if it is of none of the origins.
    func appAddress(of url: some StringProtocol, use: AppAddress) -> String? {
        let text = String(url)
        let isRelative = text.begins(with: "//")
        let absolute = isRelative ? "\(all[use.index].origin.scheme):\(text)" : text
        guard let split = SplitURL(absolute), let index = indices[split.origin.asciiLowercased],
            let rest = all[index].origin.removingPrefix(from: split.rest)
        else { return nil }
        let address = "//\(authority(of: index, for: use))\(rest)"
        return isRelative ? address : "\(scheme):\(address)"
    }

    /// Returns the URL at its origin of an address of the proxy, or `nil` if it is not of the
    /// proxy.
    func backendAddress(of url: String, use: AppAddress) -> String? {
        guard let split = SplitURL(url), split.scheme.asciiLowercased == scheme else { return nil }
        let authority = split.authority.asciiLowercased
        guard
            let index = all.indices.first(where: {
                self.authority(of: $0, for: use).asciiLowercased == authority
            })
        else { return nil }
        let origin = all[index].origin
        return origin.withoutPath.description
            + (split.rest.isEmpty ? "" : origin.addingPrefix(to: String(split.rest)))
    }

    /// The host and port by which the app reaches an origin: the host that it used, with the
    /// origin's port.
    private func authority(of index: Int, for use: AppAddress) -> String {
        index == use.index ? use.authority : "\(use.host):\(all[index].port)"
    }
}

/// The address by which the app reached the proxy.
struct AppAddress: Sendable, Hashable {
    /// Of the origin whose listener it used.
    let index: Int
    /// As in its `Host` field.
    let authority: String

    /// The authority without its port.
    var host: Substring {
        let start = authority.unicodeScalars.lastIndex(of: "]") ?? authority.startIndex
        return authority[
            ..<(authority[start...].unicodeScalars.firstIndex(of: ":") ?? authority.endIndex)
        ]
    }
}

/// The parts of an absolute URL that matter to a proxy.
private struct SplitURL {
    let scheme: Substring
    let authority: Substring
    /// The path, query and fragment.
    let rest: Substring

    init?(_ text: String) {
        guard let mark = text.range(ofBytes: "://") else { return nil }
        scheme = text[..<mark.lowerBound]
        authority = Substring(text[mark.upperBound...].utf8.prefix { !"/?#\\".utf8.contains($0) })
        rest = text[authority.endIndex...]
        guard !authority.isEmpty, scheme.utf8.allSatisfy(\.isLetter) else {
            return nil
        }
    }

    var origin: String { "\(scheme)://\(authority)" }
}

extension BackendOrigin {
    fileprivate var scheme: String { isSecure ? "https" : "http" }

    /// Returns the target at the backend of a target at the proxy.
    func addingPrefix(to target: String) -> String {
        pathPrefix.isEmpty || !target.begins(with: "/") ? target : pathPrefix + target
    }

    /// Returns the path at the proxy of a path at the backend, with what follows it, or `nil` if the
    /// proxy does not reach it.
    func removingPrefix(from path: some StringProtocol) -> String? {
        guard !pathPrefix.isEmpty else { return String(path) }
        guard let rest = String(path).part(after: pathPrefix).map(String.init) else { return nil }
        guard let first = rest.utf8.first else { return "/" }
        return first == UInt8(ascii: "/") ? rest : ("?#".utf8.contains(first) ? "/" + rest : nil)
    }
}
