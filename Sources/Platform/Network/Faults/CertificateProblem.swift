import FoundationEssentials
import NIOSSL

/// The reason why a server's certificates are not trusted, as far as they reveal it.
enum CertificateProblem: Sendable, Equatable {
    enum Holder: Sendable, Equatable {
        case server
        /// An authority whose certificate the server presents with its own.
        case issuer
    }

    case expired(Date, Holder)
    case notYetValid(Date, Holder)
    /// The server's certificate is signed by itself.
    case selfSigned
    /// No other reason is apparent: the chain does not lead to a trusted authority.
    case unknownIssuer

    /// Finds the first certificate of a chain that has expired or is not yet valid; `nil` if there
    /// is none.
    ///
    /// - Parameters:
    ///   - chain: The chain, beginning with the server's own certificate.
    ///   - now: The time of the wall clock, which verification also uses.
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
    /// A description of the server's certificate, with advice.
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
