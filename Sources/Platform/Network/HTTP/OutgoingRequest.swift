import AsyncHTTPClient
import Basics
import NIOCore
import NIOHTTP1
import Profiles

/// A request in the client's form, validated so that it is sent exactly as written or not at all.
struct OutgoingRequest: Sendable {
    let request: HTTPClient.Request

    /// - Throws: `unfit` with a message that quotes no value.
    init(
        _ wire: WireRequest,
        to origin: BackendOrigin,
        userAgent: String
    ) throws(NetworkFault) {
        guard RequestSyntax.isToken(wire.method) else { throw .unfit("the method is not a token") }
        guard RequestSyntax.isTarget(wire.target) else {
            throw .unfit(
                "its path has to begin with a slash, and to be percent-encoded"
            )
        }
        let headers = try Self.headers(of: wire, to: origin, userAgent: userAgent)
        do {
            request = try HTTPClient.Request(
                url: Self.url(of: origin, target: wire.target),
                method: HTTPMethod(rawValue: wire.method),
                headers: headers,
                body: wire.body.isEmpty ? nil : .byteBuffer(ByteBuffer(bytes: wire.body))
            )
        } catch {
            throw .unfit("its URL cannot be parsed")
        }
    }

    private static func url(of origin: BackendOrigin, target: String) -> String {
        let scheme = origin.isSecure ? "https" : "http"
        let host = origin.connectHost
        let bracketed = host.has(":") ? "[\(host)]" : host
        return "\(scheme)://\(bracketed):\(origin.port)\(origin.pathPrefix)\(target)"
    }

    private static func headers(
        of wire: WireRequest,
        to origin: BackendOrigin,
        userAgent: String
    ) throws(NetworkFault) -> HTTPHeaders {
        var headers = HTTPHeaders(wire.headers.map { ($0.name, $0.value) })
        for header in wire.headers {
            guard RequestSyntax.isToken(header.name) else {
                throw .unfit("a header's name is not a token")
            }
            guard header.value.utf8.allSatisfy({ $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }) else {
                throw .unfit("the header \(header.name) contains a control character")
            }
        }
        guard headers["Authorization"].count <= 1 else {
            throw .unfit("it has more than one Authorization header")
        }
        if !headers.contains(name: "Host") { headers.add(name: "Host", value: origin.authority) }
        if !headers.contains(name: "User-Agent") {
            headers.add(name: "User-Agent", value: userAgent)
        }
        if !headers.contains(name: "Accept-Encoding") {
            // Without the field any coding is acceptable (RFC 9110, section 12.5.3).
            headers.add(name: "Accept-Encoding", value: "identity")
        }
        return headers
    }
}
