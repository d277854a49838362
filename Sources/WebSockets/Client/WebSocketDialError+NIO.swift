import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

extension WebSocketDialError {
    /// An error that came up once there was a transport.
    init(_ error: any Error) {
        switch error {
        case let error as WebSocketDialError:
            self = error
        case let violation as ResponseViolation:
            self = .badResponse(violation)
        case NIOSSLError.uncleanShutdown:
            self = .disconnected("before the answer")
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
            self = .tlsFailed(String(describing: error))
        case is NIOHTTPClientUpgradeError, is HTTPParserError:
            self = .badHandshake(String(describing: error))
        case ChannelError.inappropriateOperationForState, ChannelError.eof:
            self = .disconnected("before the answer")
        default:
            self = .disconnected(String(describing: error))
        }
    }

    /// An error that came instead of a transport.
    init(connecting error: any Error) {
        switch error {
        case ChannelError.connectTimeout:
            self = .timedOut
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
            self = .tlsFailed(String(describing: error))
        default:
            self = .connectFailed(String(describing: error))
        }
    }
}
