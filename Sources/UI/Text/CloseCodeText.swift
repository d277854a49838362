/// Close codes of WebSockets: RFC 6455 section 7.4, the IANA registry, and what backends use.
enum CloseCodeText {
    static func text(_ code: Int) -> String {
        switch code {
        case 1000: "done"
        case 1001: "going away"
        case 1002: "protocol error"
        case 1003: "unsupported data"
        case 1005: "no code given"
        case 1006: "cut, without a close frame"
        case 1007: "text is not UTF-8"
        case 1008: "policy: most likely the token"
        case 1009: "message too big"
        case 1010: "extension missing"
        case 1011: "server error"
        case 1012: "server restarts"
        case 1013: "try again later"
        case 1014: "bad gateway"
        case 1015: "TLS failed"
        case 3000: "unauthorized"
        case 3003: "forbidden"
        case 4001, 4401: "token refused"
        case 4003, 4403: "forbidden"
        case 4400: "bad request"
        case 4406: "not acceptable"
        case 4409: "one socket only"
        case 4429: "too many"
        case 4000...4999: "the backend's own code"
        case 3000...3999: "a registered code"
        default: "unknown code"
        }
    }
}
