import NIOCore
import NIOSSL

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What an error of a channel means to people.
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
        default: "the transport failed: \(String(cString: strerror(code)))"
        }
    }
}
