/// A violation of HTTP/1.1 in a message, or a part that could be read in two ways.
///
/// A message that is not read in the same way by both sides hides a request inside another
/// (request smuggling), so none with a doubt is passed on (RFC 9112 sections 6.3 and 11.2).
enum MessageViolation: Error, Sendable, Hashable {
    /// The head is longer than `HeadScanner.maximum`.
    case headTooLong
    /// A line that ends with LF alone, or a CR that ends no line.
    case lineEnd
    case firstLine
    /// A version other than 1.0 and 1.1.
    case version
    /// A field without a name, with space in its name, or that goes on in another line.
    case field
    /// No `Host`, several, or one that is no host.
    case host
    /// A target other than a path, `*`, or a URL of the proxy itself.
    case target
    /// A `Content-Length` that is no number, that is repeated, or beside `Transfer-Encoding`.
    case contentLength
    /// A transfer coding other than `chunked`, or one in HTTP/1.0.
    case transferCoding
    /// The size of a chunk, its end, or the trailer.
    case chunk
    /// A 101 that was not asked for.
    case upgrade
    /// Bytes that belong to no request.
    case unsolicited
}

extension MessageViolation {
    var description: String {
        switch self {
        case .headTooLong: "header fields over \(HeadScanner.maximum >> 10) KiB"
        case .lineEnd: "a line that does not end with CR LF"
        case .firstLine: "the first line"
        case .version: "a version other than HTTP/1.0 and HTTP/1.1"
        case .field: "a header field"
        case .host: "the Host field"
        case .target: "a target that is not a path of this server"
        case .contentLength: "the Content-Length"
        case .transferCoding: "a transfer coding other than chunked"
        case .chunk: "the framing of its chunks"
        case .upgrade: "a change of protocol that was not asked for"
        case .unsolicited: "bytes without a request"
        }
    }

    /// The status with which a request is refused.
    var status: Int {
        switch self {
        case .headTooLong: 431
        case .version: 505
        case .transferCoding: 501
        case .target: 421
        case .lineEnd, .firstLine, .field, .host, .contentLength, .chunk, .upgrade, .unsolicited:
            400
        }
    }
}
