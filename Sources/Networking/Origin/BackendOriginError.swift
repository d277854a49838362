/// Why a text is no base URL; its words say what to write instead.
///
/// No case carries what may be a secret: a password, or a query.
package enum BackendOriginError: Error, Sendable, Equatable {
    case empty
    /// Carries the text, unless it might hold a secret.
    case noScheme(String?)
    case unknownScheme(String)
    case noHost
    case userInfo
    case badHost(String)
    /// A name outside ASCII.
    case foreignHost(String)
    case badPort(String)
    case query
    case fragment
    /// A path with characters that have to be percent-encoded.
    case badPath(String)
    /// Plain HTTP to another machine; carries the URL as far as the port.
    case clearText(String)
}

extension BackendOriginError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .empty:
            "the base URL is empty: write one like https://api.example.com"
        case .noScheme(let text?):
            "\(text) has no scheme: put https:// in front of it, or http:// on this machine"
        case .noScheme(nil):
            "the base URL has no scheme: write one like https://api.example.com"
        case .unknownScheme(let scheme) where scheme == "ws" || scheme == "wss":
            "\(scheme):// is for the feed alone: write the base URL with "
                + (scheme == "ws" ? "http://" : "https://") + ", and the feed follows"
        case .unknownScheme(let scheme):
            "\(scheme):// is no way to reach a backend: use https, or http on this machine"
        case .noHost:
            "the base URL has no host: write one like https://api.example.com"
        case .userInfo:
            "the base URL holds a user or password: take it out, credentials come by a prompt, "
                + "the environment or a file"
        case .badHost(let host):
            "\(host) is neither a host name nor an address (an IPv6 address goes in brackets)"
        case .foreignHost(let host):
            "\(host) is not in ASCII: write the host in its xn-- form"
        case .badPort(let port):
            "\(port) is no port: use a number from 1 to 65535"
        case .query:
            "the base URL has a query: take the part from the ? out, the dialect's paths have "
                + "their own"
        case .fragment:
            "the base URL has a fragment: take the part from the # out, it is never sent"
        case .badPath(let path):
            "the path \(path) holds a character that has to be percent-encoded"
        case .clearText(let url):
            "\(url) sends tokens in clear text: use https, or --allow-insecure if you mean it"
        }
    }
}
