import Basics
import Model
import Profiles

/// A proof of possession (DPoP, RFC 9449 section 4.2), beside the request that it is in.
struct ProofFacts: Sendable, Hashable, Codable {
    /// The parts that do not fit the request.
    enum Mismatch: String, Sendable, Hashable, Codable {
        case method = "htm"
        case url = "htu"
        case token = "ath"
    }

    /// Tells it from other proofs (`jti`).
    var id: Fingerprint?
    /// In seconds since 1970.
    var issuedAt: Double?
    var hasNonce: Bool
    var mismatches: [Mismatch]

    /// The names in recordings.
    private enum CodingKeys: String, CodingKey {
        case id, issuedAt, hasNonce
        case mismatches = "misfits"
    }

    /// Reads the proof in a request; `nil` if there is none, several, or one that cannot be read.
    init?(in request: WireRequest, at origin: String, by fingerprinter: Fingerprinter) {
        let proofs = request.headers.filter {
            $0.name.isEqualIgnoringCase(ProofOfPossession.header)
        }
        guard proofs.count == 1, let proof = JSONWebToken(reading: Secret(proofs[0].value)),
            let method = proof.claims["htm"]?.stringValue,
            let url = proof.claims["htu"]?.stringValue
        else { return nil }
        id = proof.claims["jti"]?.stringValue.map { fingerprinter.fingerprint(of: Secret($0)) }
        issuedAt = proof.issuedAt
        hasNonce = proof.claims["nonce"] != nil
        mismatches = []
        if method != request.method { mismatches.append(.method) }
        if !Self.isURL(url, of: request, at: origin) { mismatches.append(.url) }
        if let token = Self.boundToken(in: request),
            proof.claims["ath"]?.stringValue != ProofOfPossession.hash(of: token)
        {
            mismatches.append(.token)
        }
    }

    /// The token that a proof must be bound to (section 7.1).
    private static func boundToken(in request: WireRequest) -> AccessToken? {
        let value = request.header("Authorization") ?? ""
        guard value.part(before: " ").isEqualIgnoringCase("dpop") else { return nil }
        return AccessToken(Secret(String(Substring(value.utf8.dropFirst(5)).trimmingBlanks)))
    }

    /// Whether a URL is that of a request; what may be written in several ways fits.
    ///
    /// A proxy that stands in for the backend is named by `Host`, and adds a path.
    private static func isURL(_ url: String, of request: WireRequest, at origin: String) -> Bool {
        guard let mark = url.range(ofBytes: "://") else { return false }
        let rest = url[mark.upperBound...]
        let written = Substring(rest.utf8.prefix { !"/?#".utf8.contains($0) })
        let isSecure = url.asciiLowercased.begins(with: "https:")
        let hosts = [origin, request.header("Host").map { "://\($0)" }].compactMap(\.self)
        let isHost = hosts.contains { other in
            let port: UInt16 =
                other.begins(with: "http:") || (other.begins(with: ":") && !isSecure) ? 80 : 443
            let end = other.range(ofBytes: "://")?.upperBound ?? other.startIndex
            return Self.server(String(other[end...]), port)
                == Self.server(String(written), isSecure ? 443 : 80)
        }
        let path = Substring(
            rest.utf8.dropFirst(written.utf8.count).prefix { !"?#".utf8.contains($0) }
        )
        let target = request.target.part(before: "?")
        let isPath =
            path == target || path.has("%") || target.has("%") || path.isEmpty && target == "/"
            || path.ends(with: String(target)) || target.ends(with: String(path)) && !path.isEmpty
        return isHost && isPath
    }

    private static func server(_ authority: String, _ port: UInt16) -> String? {
        RequestHost(authority).map { "\($0.name):\($0.port ?? port)" }
    }
}
