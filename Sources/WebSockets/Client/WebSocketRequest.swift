/// What to ask a server for.
package struct WebSocketRequest: Sendable {
    package enum Scheme: String, Sendable, Equatable {
        case ws
        case wss
    }

    package var scheme: Scheme
    /// A name or an address; an IPv6 address without its brackets.
    package var host: String
    package var port: Int
    /// With its query, and sent exactly as written here.
    package var path: String
    /// Sent beside those of the handshake, which are not to be named here; `Host` replaces ours.
    package var headers: [(String, String)]
    /// In order of preference.
    package var subprotocols: [String]

    package init(
        scheme: Scheme,
        host: String,
        port: Int,
        path: String = "/",
        headers: [(String, String)] = [],
        subprotocols: [String] = []
    ) {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.path = path
        self.headers = headers
        self.subprotocols = subprotocols
    }
}
