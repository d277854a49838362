import Basics
import FoundationEssentials
import Profiles

/// The proxies between this machine and backends, as in the usual environment variables.
///
/// Plain HTTP to this machine never goes through a proxy.
package struct ProxySettings: Sendable, Equatable {
    static let none = ProxySettings()

    private var forHTTPS: Proxy?
    private var forHTTP: Proxy?
    private var exceptions = ProxyExceptions()

    private init() {}

    /// Reads `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`; their lower-case names come
    /// first, as in curl.
    ///
    /// - Parameter variables: The environment.
    /// - Throws: `ProxySettingsError` with the variable, whose value is not repeated.
    package init(variables: [String: String]) throws(ProxySettingsError) {
        func proxy(_ name: String) throws(ProxySettingsError) -> Proxy? {
            for name in [name.asciiLowercased, name] {
                guard let text = variables[name] else { continue }
                return text.isEmpty ? nil : try Proxy(text, variable: name)
            }
            return nil
        }
        let other = try proxy("ALL_PROXY")
        forHTTPS = try proxy("HTTPS_PROXY") ?? other
        forHTTP = try proxy("HTTP_PROXY") ?? other
        exceptions = ProxyExceptions(variables["no_proxy"] ?? variables["NO_PROXY"] ?? "")
    }

    func proxy(for origin: BackendOrigin) -> Proxy? {
        if !origin.isSecure, origin.isLoopback { return nil }
        if exceptions.contains(origin) { return nil }
        return origin.isSecure ? forHTTPS : forHTTP
    }
}

/// An HTTP proxy, which opens a tunnel to the backend (RFC 9110 section 9.3.6).
struct Proxy: Sendable, Hashable {
    let host: OriginHost
    let port: Int
    /// The value of `Proxy-Authorization`, or `nil` without a user.
    let authorization: Authorization?
    /// The environment variable that names it.
    let variable: String

    /// A user and a password as in Basic (RFC 7617), which have no description.
    struct Authorization: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
        let user: String
        let password: String

        /// The value of the header.
        var basic: String {
            "Basic \(Data("\(user):\(password)".utf8).base64EncodedString())"
        }

        var description: String { "user and password" }
        var customMirror: Mirror { Mirror(self, children: []) }
    }

    /// Parses `http://USER:PASSWORD@HOST:PORT`, of which only the host is required.
    init(_ text: String, variable: String) throws(ProxySettingsError) {
        var rest = text[...]
        if let mark = text.range(ofBytes: "://") {
            guard text[..<mark.lowerBound].asciiLowercased == "http" else {
                throw ProxySettingsError(variable: variable, problem: .scheme)
            }
            rest = text[mark.upperBound...]
        }
        rest = rest.part(before: "/")
        if let at = rest.unicodeScalars.lastIndex(of: "@") {
            authorization = Self.authorization(rest[..<at])
            rest = rest[rest.unicodeScalars.index(after: at)...]
        } else {
            authorization = nil
        }
        do throws(BackendOriginError) {
            let parts = try URLParts("http://\(rest)")
            host = try parts.host
            port = try parts.port ?? 80
        } catch {
            throw ProxySettingsError(variable: variable, problem: .host)
        }
        self.variable = variable
    }

    private static func authorization(_ text: Substring) -> Authorization {
        let halves = text.parts(at: ":", limit: 2, keepsEmpty: true)
            .map { PercentEncoding.decode(String($0), plusIsSpace: false) }
        return Authorization(user: halves[0], password: halves.count > 1 ? halves[1] : "")
    }

    /// The proxy in messages, without its user.
    var peer: String { "the proxy \(host.written):\(port) (\(variable))" }
}

/// The reason why an environment variable names no proxy that can be used.
package struct ProxySettingsError: Error, Sendable, Equatable, CustomStringConvertible {
    enum Problem: Sendable { case scheme, host }

    let variable: String
    let problem: Problem

    package var description: String {
        switch problem {
        case .scheme: "\(variable): only HTTP proxies are supported: expected http://HOST:PORT"
        case .host: "\(variable): not the address of a proxy: expected http://HOST:PORT"
        }
    }
}
