import AsyncHTTPClient
import Basics
import HTTP
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

extension NetworkFault {
    /// Creates a fault from an error of the libraries.
    ///
    /// The error's description is never quoted, since it may contain a header's value.
    ///
    /// - Parameters:
    ///   - error: An error of AsyncHTTPClient, or of NIO through it.
    ///   - connectLimit: The client's timeout for a connection.
    init(_ error: any Error, connectLimit: Duration) {
        switch error {
        case let fault as NetworkFault: self = fault
        case is CancellationError: self = .cancelled
        case let error as HTTPClientError: self.init(error, connectLimit: connectLimit)
        case let error as NIOConnectionError: self.init(error, connectLimit: connectLimit)
        case let error as SocketAddressError.UnknownHost: self.init(lookup: error.errorCode)
        case let error as IOError: self.init(errno: error.errnoCode)
        case let error as ChannelError: self.init(error, connectLimit: connectLimit)
        case HTTPParserError.invalidEOFState: self = .closed
        case let violation as ResponseViolation: self = .badResponse(violation)
        case let violation as HTTP2Violation: self = .badHTTP2(violation)
        // Of the limits of NIO's decoder, only that on the number of headers is below that of the
        // guard.
        case HTTPParserError.headerOverflow:
            self = .tooManyHeaders(NIOHTTPDecoderLimitConfiguration().maxHeaderFieldCount)
        case is HTTPParserError, is NIOHTTPDecoderError: self = .notHTTP
        case let error where NetworkFault.isOfHTTP2(error): self.init(http2: error)
        case NIOSSLError.uncleanShutdown: self = .closed
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
            self.init(tls: String(describing: error))
        default: self = .failed
        }
    }

    private init(_ error: HTTPClientError, connectLimit: Duration) {
        switch error {
        case .connectTimeout, .tlsHandshakeTimeout: self = .connectTimeout(connectLimit)
        case .getConnectionFromPoolTimeout: self = .noFreeConnection
        // `cancelled` is of a connection that was chosen for the request while it closed: what is
        // cancelled here has a fault of its own.
        case .remoteConnectionClosed, .uncleanShutdown, .requestStreamCancelled, .cancelled:
            self = .closed
        case .proxyAuthenticationRequired: self = .proxyCredentials
        case .invalidProxyResponse: self = .proxyRefused
        case .httpProxyHandshakeTimeout: self = .connectTimeout(connectLimit)
        case .alreadyShutdown: self = .shutDown
        default: self = .failed
        }
    }

    /// If several addresses were tried, the first one determines the fault.
    private init(_ error: NIOConnectionError, connectLimit: Duration) {
        if let first = error.connectionErrors.first {
            self.init(first.error, connectLimit: connectLimit)
        } else if let lookup = error.dnsAError ?? error.dnsAAAAError {
            self.init(lookup, connectLimit: connectLimit)
        } else {
            self = .unknownHost
        }
    }

    private init(lookup code: Int) {
        self = ResolverCode.absent.contains(code) ? .unknownHost : .noLookup
    }

    private init(_ error: ChannelError, connectLimit: Duration) {
        switch error {
        case .connectTimeout: self = .connectTimeout(connectLimit)
        case .ioOnClosedChannel, .alreadyClosed, .eof, .inputClosed, .outputClosed:
            self = .closed
        default: self = .failed
        }
    }

    /// Creates a fault from the description of an NIOSSL error.
    ///
    /// BoringSSL's reasons are available in no other way; a description contains, for example,
    /// `error:1000007d:SSL routines:OPENSSL_internal:CERTIFICATE_VERIFY_FAILED at …`.
    init(tls description: String) {
        if description.containsBytes(of: "EOF during handshake")
            || description.containsBytes(of: "uncleanShutdown")
        {
            self = .handshakeEnded
        } else if description.containsBytes(of: "failedToValidateHostname")
            || description.containsBytes(of: "serverHostnameImpossibleToMatch")
            || description.containsBytes(of: "unableToValidateCertificate")
        {
            self = .wrongName
        } else {
            switch Self.reason(in: description) {
            case "CERTIFICATE_VERIFY_FAILED"?: self = .untrusted(nil)
            case "WRONG_VERSION_NUMBER"?, "HTTP_REQUEST"?, "HTTPS_PROXY_REQUEST"?: self = .notTLS
            case "TLSV1_ALERT_CERTIFICATE_REQUIRED"?, "SSLV3_ALERT_BAD_CERTIFICATE"?,
                "TLSV1_ALERT_UNKNOWN_CA"?, "SSLV3_ALERT_CERTIFICATE_UNKNOWN"?,
                "SSLV3_ALERT_CERTIFICATE_EXPIRED"?, "TLSV1_CERTIFICATE_REQUIRED"?:
                self = .clientCertificateWanted
            case "TLSV1_ALERT_PROTOCOL_VERSION"?, "UNSUPPORTED_PROTOCOL"?, "WRONG_SSL_VERSION"?:
                self = .oldTLS
            case let name?: self = .tls(name)
            case nil: self = .tls("the handshake failed")
            }
        }
    }

    private static func reason(in description: String) -> String? {
        guard let mark = description.range(ofBytes: "OPENSSL_internal:") else { return nil }
        let name = description[mark.upperBound...].utf8.prefix {
            $0.isAlphanumeric || $0 == UInt8(ascii: "_")
        }
        return name.isEmpty ? nil : String(Substring(name))
    }

    /// Creates a fault from the error of a dial without a response.
    ///
    /// - Parameters:
    ///   - error: The dialer's error.
    ///   - limit: The timeout of the dial.
    init(_ error: WebSocketDialError, limit: Duration) {
        switch error {
        case .invalidRequest(let part): self = .unfit("its \(part) is not allowed in an upgrade")
        case .connectFailed(let failure): self.init(failure, otherwise: .noConnection)
        case .tlsFailed(let description): self.init(tls: description)
        case .timedOut: self = .deadline(limit)
        case .peerRejected(let mismatch): self = .pinMismatch(mismatch)
        case .proxyRefused: self = .proxyRefused
        case .proxyNotHTTP: self = .proxyNotHTTP
        case .proxyCredentials: self = .proxyCredentials
        case .disconnected(let failure): self.init(failure, otherwise: .closed)
        case .badHandshake(let rule): self = .badUpgrade(rule)
        case .badResponse(let violation): self = .badResponse(violation)
        case .cancelled: self = .cancelled
        }
    }

    private init(_ failure: TransportFailure, otherwise: NetworkFault) {
        switch failure {
        case .system(let code): self.init(errno: code)
        case .lookup(let code): self.init(lookup: code)
        case .noAddress: self = .unknownHost
        case .ended, .other: self = otherwise
        }
    }
}
