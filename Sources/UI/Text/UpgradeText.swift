/// A server's answer to a request for a feed that it does not open.
enum UpgradeText {
    static func text(_ status: Int) -> String {
        switch status {
        case 200: "200 no feed in it"
        case 204: "204 not to be opened again"
        case 400: "400 the upgrade is not understood"
        case 401: "401 token refused"
        case 403: "403 token refused, or no right to it"
        case 404: "404 there is no feed at this path"
        case 426: "426 another protocol version is wanted"
        case 429: "429 too many"
        case 503: "503 not available now"
        case 300..<400: "\(status) sent elsewhere"
        case 500..<600: "\(status) server error"
        default: String(status)
        }
    }
}
