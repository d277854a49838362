import Basics
import Model
import NIOSSL

/// A protocol that a client speaks to a port of HTTP, as its first bytes tell.
enum OtherProtocol: Sendable {
    case tls
    case socks

    /// The first line of a connection whose client knows that the server speaks HTTP/2 (RFC 9113
    /// section 3.4).
    static let preface = "PRI * HTTP/2.0\r\n".utf8

    /// - Parameter firstByte: The first byte of a connection; no method of HTTP begins with one of these.
    init?(firstByte: UInt8) {
        switch firstByte {
        case 4, 5: self = .socks
        // A handshake (RFC 8446 section 5.1).
        case 22: self = .tls
        default: return nil
        }
    }

    var subject: Omission.Subject {
        switch self {
        case .tls: .tls
        case .socks: .socks
        }
    }

    /// The answer, which a client of another protocol may quote.
    var answer: ProxyResponse {
        switch self {
        case .tls:
            ProxyResponse(
                status: 400,
                message:
                    "refused TLS, since this port speaks plain HTTP: use http:// in the address, or "
                    + "start authtop proxy with --tls"
            )
        case .socks:
            ProxyResponse(
                status: 400,
                message: "refused SOCKS: use the address of the proxy in place of the backend's"
            )
        }
    }
}

extension BoringSSLError {
    /// Whether the client has refused the certificate: it does not trust the authority, or knows
    /// another certificate (RFC 8446 section 6.2).
    var refusesCertificate: Bool {
        let text = String(describing: self)
        return ["UNKNOWN_CA", "BAD_CERTIFICATE", "CERTIFICATE_UNKNOWN"].contains {
            text.containsBytes(of: "ALERT_\($0)")
        }
    }
}
