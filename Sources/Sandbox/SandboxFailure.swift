import NIOCore

/// Why a sandbox does not listen.
package enum SandboxFailure: Error, Sendable, Equatable {
    case portInUse(host: String, port: Int)
    /// Ports below 1024 are the system's.
    case portNotPermitted(Int)
    /// It is no name or address of this machine.
    case hostUnusable(String)
    case failed(String)

    init(_ error: any Error, listeningOn configuration: SandboxConfiguration) {
        switch error {
        case let error as SandboxFailure:
            self = error
        case let error as IOError where error.errnoCode == 98:
            self = .portInUse(host: configuration.host, port: configuration.port)
        case let error as IOError where error.errnoCode == 13:
            self = .portNotPermitted(configuration.port)
        case let error as IOError where error.errnoCode == 99:
            self = .hostUnusable(configuration.host)
        case is SocketAddressError.UnknownHost, SocketAddressError.unknown:
            self = .hostUnusable(configuration.host)
        default:
            self = .failed(String(describing: error))
        }
    }
}

extension SandboxFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .portInUse(let host, let port):
            "port \(port) on \(host) is in use: end what listens there, or take another --port"
        case .portNotPermitted(let port):
            "port \(port) is not permitted: take one from 1024 on"
        case .hostUnusable(let host):
            "\(host) is no address of this machine"
        case .failed(let reason):
            "the sandbox cannot listen: \(reason)"
        }
    }
}
