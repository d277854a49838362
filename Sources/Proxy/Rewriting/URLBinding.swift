import Basics

/// Messages that hold at one URL alone, and so do not pass an address that stands in for it.
enum URLBinding {
    /// The path of the metadata of a protected resource, which a client refuses unless they name the URL
    /// that it used (RFC 9728 section 3.3).
    private static let resource = "/.well-known/oauth-protected-resource"

    /// Whether a request proves possession of a key at the address that the app uses (RFC 9449 section
    /// 4.2), which the backend knows nothing of.
    static func isProved(by request: RequestMessage) -> Bool {
        guard let proof = request.fields.first(where: { $0.key == "dpop" }),
            let authority = request.authority,
            let url = JSONWebToken(reading: Secret(proof.value))?.claims["htu"]?.stringValue,
            let mark = url.range(ofBytes: "://")
        else { return false }
        let host = Substring(url[mark.upperBound...].utf8.prefix { !"/?#".utf8.contains($0) })
        return String(host).asciiLowercased == authority.asciiLowercased
    }

    static func isMetadata(_ response: ResponseMessage, of request: RequestMessage) -> Bool {
        response.status == 200 && request.target.begins(with: resource)
    }
}
