import FoundationEssentials
import NIOSSL

/// Why a server's certificates are not trusted, as far as they show it themselves.
enum CertificateProblem: Sendable, Equatable {
    enum Holder: Sendable, Equatable {
        case server
        /// An authority whose certificate the server shows with its own.
        case issuer
    }

    case expired(Date, Holder)
    case notYetValid(Date, Holder)
    /// The server's own certificate is the only one that vouches for it.
    case selfSigned
    /// No other reason can be seen: the chain leads to nobody we trust.
    case unknownIssuer

    /// The first certificate of a chain whose time is not now, or `nil` if it is now for all of
    /// them.
    ///
    /// - Parameters:
    ///   - chain: The server's own certificate first.
    ///   - now: Of the wall clock, which verification goes by too.
    init?(datesOf chain: [NIOSSLCertificate], at now: Date) {
        for (index, certificate) in chain.enumerated() {
            let holder = index == 0 ? Holder.server : .issuer
            let start = Date(timeIntervalSince1970: Double(certificate.notValidBefore))
            let end = Date(timeIntervalSince1970: Double(certificate.notValidAfter))
            if end < now {
                self = .expired(end, holder)
                return
            }
            if start > now {
                self = .notYetValid(start, holder)
                return
            }
        }
        return nil
    }
}

extension CertificateProblem {
    /// What a server shows, with what helps.
    var description: String {
        switch self {
        case .expired(let end, let holder):
            "\(holder.description) expired \(end.formatted(.iso8601))"
        case .notYetValid(let start, let holder):
            "\(holder.description) is not valid before \(start.formatted(.iso8601)): compare the clocks"
        case .selfSigned:
            "one that it signed itself; --ca-file adds it"
        case .unknownIssuer:
            "one from an unknown issuer; --ca-file adds an issuer"
        }
    }
}

extension CertificateProblem.Holder {
    fileprivate var description: String {
        switch self {
        case .server: "one that"
        case .issuer: "one whose issuer's"
        }
    }
}
