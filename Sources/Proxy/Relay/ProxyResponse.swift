import Basics
import NIOCore
import Observer
import Profiles

/// An answer that the proxy gives itself.
struct ProxyResponse {
    private(set) var head: ResponseMessage
    private(set) var body: [UInt8]

    /// An error of the proxy, after which the connection is closed.
    ///
    /// - Parameters:
    ///   - status: A status from 400.
    ///   - message: The problem, which names the proxy in neither form.
    ///   - fields: Fields that the status asks for.
    init(status: Int, message: String, fields: [HeadField] = []) {
        let text = "authtop: \(message)"
        body = Array(JSONValue.object(["error": .string(text)]).serialized.utf8)
        let visible = text.unicodeScalars.map {
            (0x20...0x7E).contains($0.value) ? Character($0) : "?"
        }
        head = ResponseMessage(
            minorVersion: 1,
            status: status,
            reason: WireText(Self.reason(of: status)),
            fields: [
                HeadField("Content-Type", "application/json"),
                HeadField("Content-Length", String(body.count)),
                HeadField("Connection", "close"),
                HeadField("Authtop-Error", String(visible)),
            ] + fields
        )
    }

    /// The answer of an experiment, after which the connection goes on.
    init(_ answer: InjectedAnswer) {
        let status = answer.response.status
        let fields = answer.response.headers.map { HeadField($0.name, $0.value) }
            .filter { !["content-length", "transfer-encoding", "connection"].contains($0.key) }
        let hasBody = status != 204 && status != 304
        body = hasBody ? answer.response.body : []
        head = ResponseMessage(
            minorVersion: 1,
            status: status,
            reason: WireText(Self.reason(of: status)),
            fields: fields + (hasBody ? [HeadField("Content-Length", String(body.count))] : [])
        )
    }

    /// Returns the answer with what a page of another origin needs to read it.
    func adding(_ addition: CrossOriginAddition) -> ProxyResponse {
        var result = self
        result.head = addition.adding(to: head)
        if addition.replacesAnswer { result.body = [] }
        return result
    }

    /// Returns its bytes; an answer to HEAD has no body.
    func bytes(to request: RequestMessage?) -> ByteBuffer {
        var buffer = ByteBuffer()
        head.write(into: &buffer)
        if request?.isHead != true { buffer.writeBytes(body) }
        return buffer
    }

    private static func reason(of status: Int) -> String {
        switch status {
        case 200: "OK"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 408: "Request Timeout"
        case 421: "Misdirected Request"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 505: "HTTP Version Not Supported"
        default: ""
        }
    }
}
