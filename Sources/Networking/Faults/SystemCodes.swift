#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension NetworkFault {
    /// The fault behind an error number of the system.
    init(errno code: CInt) {
        switch code {
        case ECONNREFUSED: self = .refused
        case ECONNRESET, ECONNABORTED, EPIPE: self = .reset
        case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN, EADDRNOTAVAIL: self = .unreachable
        case ETIMEDOUT: self = .other("the system gave the connection up")
        case EMFILE, ENFILE: self = .other("too many open files on this machine")
        default: self = .other("failed: \(String(cString: strerror(code)))")
        }
    }
}

/// What `getaddrinfo` answers.
enum ResolverCode {
    /// There is no such name, or none with an address (`EAI_NODATA`, which glibc does not show).
    static let absent: Set<Int> = [Int(EAI_NONAME), -5]
}
