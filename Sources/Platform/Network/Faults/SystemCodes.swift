#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension NetworkFault {
    /// Creates a fault from an error number of the system.
    init(errno code: CInt) {
        switch code {
        case ECONNREFUSED: self = .refused
        case ECONNRESET, ECONNABORTED, EPIPE: self = .reset
        case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN, EADDRNOTAVAIL: self = .unreachable
        case ETIMEDOUT: self = .connectionTimedOut
        case EMFILE, ENFILE: self = .tooManyFiles
        default: self = .system(code)
        }
    }
}

/// The error codes of `getaddrinfo`.
enum ResolverCode {
    /// There is no such name, or it has no address (`EAI_NODATA`, which glibc does not expose).
    static let absent: Set<Int> = [Int(EAI_NONAME), -5]
}

extension NetworkFault {
    /// Returns why this machine cannot listen on a port.
    static func text(ofListening code: CInt) -> String {
        switch code {
        case EADDRINUSE: "another program listens there"
        case EACCES: "not permitted: choose one from 1024 on"
        default: "error \(code) of the system"
        }
    }
}
