import NIOCore
import NIOPosix
import NIOSSL

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Why a transport was not established, or has ended.
package enum TransportFailure: Sendable, Hashable {
    /// The system's error number.
    case system(CInt)
    /// The error of `getaddrinfo`.
    case lookup(Int)
    /// The name has no address.
    case noAddress
    /// The transport has ended, without an error.
    case ended
    /// An error of a library that has no meaning of its own.
    case other

    /// Takes what an error of NIO says.
    init(_ error: any Error) {
        switch error {
        case let error as IOError: self = .system(error.errnoCode)
        case let error as NIOConnectionError:
            let lookup = error.dnsAError ?? error.dnsAAAAError
            self = lookup.map { TransportFailure($0) } ?? .noAddress
        case let error as SocketAddressError.UnknownHost: self = .lookup(error.errorCode)
        case is ChannelError: self = .ended
        default: self = .other
        }
    }
}

/// The meaning of a channel's error for users.
enum TransportError {
    /// Says why the transport has ended, without the names of calls and types that the libraries
    /// put into their descriptions.
    static func words(of error: any Error) -> String {
        switch error {
        case let error as IOError: words(ofCode: error.errnoCode)
        case NIOSSLError.uncleanShutdown: "the transport ended without the end of TLS"
        case is NIOSSLError, is BoringSSLError: "TLS failed"
        case ChannelError.ioOnClosedChannel, ChannelError.alreadyClosed, ChannelError.eof:
            "the transport ended"
        default: "the transport failed"
        }
    }

    private static func words(ofCode code: CInt) -> String {
        switch code {
        case ECONNRESET, ECONNABORTED: "the connection was reset"
        case EPIPE: "the transport ended"
        case ETIMEDOUT: "the connection timed out"
        default: "the transport failed with error \(code) of the system"
        }
    }
}
