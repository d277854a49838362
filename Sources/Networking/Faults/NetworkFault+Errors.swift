import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import WebSockets

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
        case let error as SocketAddressError.UnknownHost: self.init(error)
        case let error as IOError: self.init(errno: error.errnoCode)
        case let error as ChannelError: self.init(error, connectLimit: connectLimit)
        case HTTPParserError.invalidEOFState: self = .closed
        case let violation as ResponseViolation: self = .badResponse(violation)
        // Of the limits of NIO's decoder, only that on the number of headers is below that of the
        // guard.
        case HTTPParserError.headerOverflow:
            self = .tooManyHeaders(NIOHTTPDecoderLimitConfiguration().maxHeaderFieldCount)
        case is HTTPParserError, is NIOHTTPDecoderError: self = .notHTTP
        case let error where NetworkFault.isOfHTTP2(error): self.init(http2: error)
        case NIOSSLError.uncleanShutdown: self = .closed
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
            self.init(tls: String(describing: error))
        default: self = .other("failed: \(type(of: error))")
        }
    }

    private init(_ error: HTTPClientError, connectLimit: Duration) {
        switch error {
        case .connectTimeout, .tlsHandshakeTimeout: self = .connectTimeout(connectLimit)
        case .getConnectionFromPoolTimeout: self = .noFreeConnection
        case .remoteConnectionClosed, .uncleanShutdown, .requestStreamCancelled: self = .closed
        case .proxyAuthenticationRequired: self = .proxyCredentials
        case .invalidProxyResponse: self = .proxyRefused
        case .httpProxyHandshakeTimeout: self = .connectTimeout(connectLimit)
        case .cancelled: self = .cancelled
        case .alreadyShutdown: self = .shutDown
        default: self = .other("failed: \(error.shortDescription)")
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

    private init(_ error: SocketAddressError.UnknownHost) {
        let isKnownToBeAbsent = ResolverCode.absent.contains(error.errorCode)
        self = isKnownToBeAbsent ? .unknownHost : .noLookup(error.errorDescription)
    }

    private init(_ error: ChannelError, connectLimit: Duration) {
        switch error {
        case .connectTimeout: self = .connectTimeout(connectLimit)
        case .ioOnClosedChannel, .alreadyClosed, .eof, .inputClosed, .outputClosed:
            self = .closed
        default: self = .other("failed: \(type(of: error))")
        }
    }

    /// Creates a fault from the description of an NIOSSL error.
    ///
    /// BoringSSL's reasons are available in no other way; a description contains, for example,
    /// `error:1000007d:SSL routines:OPENSSL_internal:CERTIFICATE_VERIFY_FAILED at …`.
    init(tls description: String) {
        if description.contains("EOF during handshake")
            || description.contains("uncleanShutdown")
        {
            self = .handshakeEnded
        } else if description.contains("failedToValidateHostname")
            || description.contains("serverHostnameImpossibleToMatch")
            || description.contains("unableToValidateCertificate")
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
        guard let mark = description.firstRange(of: "OPENSSL_internal:") else { return nil }
        let name = description[mark.upperBound...].prefix {
            $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_")
        }
        return name.isEmpty ? nil : String(name)
    }

    /// Creates a fault from the error of a dial without a response; the libraries' errors are
    /// included as descriptions.
    ///
    /// - Parameters:
    ///   - error: The dialer's error.
    ///   - limit: The timeout of the dial.
    init(_ error: WebSocketDialError, limit: Duration) {
        switch error {
        case .invalidRequest(let part): self = .unfit("its \(part) is not allowed in an upgrade")
        case .connectFailed(let description): self.init(connecting: description)
        case .tlsFailed(let description): self.init(tls: description)
        case .timedOut: self = .deadline(limit)
        case .peerRejected(let mismatch): self = .pinMismatch(mismatch)
        case .proxyRefused: self = .proxyRefused
        case .proxyCredentials: self = .proxyCredentials
        case .disconnected(let description):
            self =
                Self.number(after: "errno: ", in: description)
                .map { NetworkFault(errno: CInt(clamping: $0)) } ?? .closed
        case .badHandshake(let rule): self = .badUpgrade(rule)
        case .badResponse(let violation): self = .badResponse(violation)
        case .cancelled: self = .cancelled
        }
    }

    private init(connecting description: String) {
        if let code = Self.number(after: "errno: ", in: description) {
            self.init(errno: CInt(clamping: code))
        } else if let code = Self.number(after: "(error ", in: description) {
            self =
                ResolverCode.absent.contains(code)
                ? .unknownHost : .noLookup("the name server does not answer")
        } else {
            self = .other("no connection")
        }
    }

    private static func number(after mark: String, in text: String) -> Int? {
        guard let range = text.firstRange(of: mark) else { return nil }
        return Int(text[range.upperBound...].prefix { $0 == "-" || $0.isWholeNumber })
    }
}
