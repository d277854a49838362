import Basics
import HTTPTypes
import NIOHTTP1

/// A request for a WebSocket.
package struct WebSocketRequest: Sendable {
    package enum Scheme: String, Sendable, Equatable {
        case ws
        case wss
    }

    var scheme: Scheme
    /// A name or an address; an IPv6 address without its brackets.
    var host: String
    var port: Int
    /// The path with its query, sent exactly as written.
    var path: String
    /// The headers besides those of the handshake, which must not be included; `Host` replaces the
    /// default.
    var headers: [(String, String)]
    /// The subprotocols in order of preference.
    var subprotocols: [String]
    /// The compression that is offered, or `nil` for none.
    var compression: WebSocketCompression?
    /// The proxy to dial through, or `nil` for a direct connection.
    var proxy: WebSocketProxy?

    package init(
        scheme: Scheme,
        host: String,
        port: Int,
        path: String = "/",
        headers: [(String, String)] = [],
        subprotocols: [String] = [],
        compression: WebSocketCompression? = WebSocketCompression(),
        proxy: WebSocketProxy? = nil
    ) {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.path = path
        self.headers = headers
        self.subprotocols = subprotocols
        self.compression = compression
        self.proxy = proxy
    }
}

/// An HTTP proxy that opens a tunnel to the server (RFC 9110 section 9.3.6).
package struct WebSocketProxy: Sendable {
    var host: String
    var port: Int
    /// The value of `Proxy-Authorization`, or `nil` if there is none.
    var authorization: String?

    package init(host: String, port: Int, authorization: String?) {
        self.host = host
        self.port = port
        self.authorization = authorization
    }
}

/// A `WebSocketRequest` as the head of an HTTP request, without what NIO adds.
struct UpgradeRequest {
    /// The headers that the upgrade itself sets.
    private static let reserved: Set<String> = [
        "connection", "upgrade", "content-length", "transfer-encoding", "sec-websocket-key",
        "sec-websocket-version", "sec-websocket-protocol", "sec-websocket-extensions",
        "sec-websocket-accept",
    ]

    let head: HTTPRequestHead

    init(_ request: WebSocketRequest) throws(WebSocketDialError) {
        guard Self.isPath(request.path) else { throw .invalidRequest("path") }
        var headers = HTTPHeaders()
        for (name, value) in request.headers {
            guard Self.isToken(name), !Self.reserved.contains(name.asciiLowercased) else {
                throw .invalidRequest("header \(name)")
            }
            guard Self.isValue(value) else { throw .invalidRequest("value of header \(name)") }
            headers.add(name: name, value: value)
        }
        if !headers.contains(name: "Host") {
            guard Self.isHost(request.host) else { throw .invalidRequest("host") }
            headers.add(name: "Host", value: Self.authority(of: request))
        }
        if !request.subprotocols.isEmpty {
            guard request.subprotocols.allSatisfy(Self.isToken) else {
                throw .invalidRequest("subprotocol")
            }
            let names = request.subprotocols.joined(separator: ", ")
            headers.add(name: "Sec-WebSocket-Protocol", value: names)
        }
        head = HTTPRequestHead(
            version: .http1_1,
            method: .GET,
            uri: request.path,
            headers: headers
        )
    }

    private static func authority(of request: WebSocketRequest) -> String {
        let host =
            request.host.utf8.contains(UInt8(ascii: ":")) ? "[\(request.host)]" : request.host
        let isUsual = request.port == (request.scheme == .ws ? 80 : 443)
        return isUsual ? host : "\(host):\(request.port)"
    }

    private static func isPath(_ path: String) -> Bool {
        path.utf8.first == UInt8(ascii: "/")
            && path.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }
    }

    private static func isHost(_ host: String) -> Bool {
        !host.isEmpty && host.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// Returns whether the name is a token (RFC 9110 section 5.6.2).
    private static func isToken(_ name: String) -> Bool {
        HTTPField.Name(name) != nil
    }

    /// Returns whether the value has no control characters, so that it cannot end its line.
    private static func isValue(_ value: String) -> Bool {
        value.utf8.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }
    }
}
