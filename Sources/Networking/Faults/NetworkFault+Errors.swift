import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import WebSockets

extension NetworkFault {
    /// The fault behind an error of the libraries.
    ///
    /// Never quotes it: a description may hold a header's value.
    ///
    /// - Parameters:
    ///   - error: From AsyncHTTPClient, or from NIO through it.
    ///   - connectLimit: How long the client waits for a transport.
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
        // Of the limits of NIO's decoder only the number of headers is below those of the guard.
        case HTTPParserError.headerOverflow:
            self = .tooManyHeaders(NIOHTTPDecoderLimitConfiguration().maxHeaderFieldCount)
        case is HTTPParserError, is NIOHTTPDecoderError: self = .notHTTP
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
        case .cancelled: self = .cancelled
        case .alreadyShutdown: self = .shutDown
        default: self = .other("failed: \(error.shortDescription)")
        }
    }

    /// Of several addresses the first that was tried says why.
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
}
