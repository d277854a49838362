import Basics
import NIOCore
import Profiles

/// A text of a head, which is written again byte for byte.
struct WireText: Sendable, Hashable {
    let string: String
    /// Whether the bytes were not UTF-8, and are held as ISO 8859-1.
    private let isLatin1: Bool

    init(_ string: String) {
        self.string = string
        isLatin1 = false
    }

    init(_ bytes: Span<UInt8>) {
        if let text = String(validating: bytes) {
            (string, isLatin1) = (text, false)
            return
        }
        var text = ""
        for place in bytes.indices { text.unicodeScalars.append(Unicode.Scalar(bytes[place])) }
        (string, isLatin1) = (text, true)
    }

    func write(into buffer: inout ByteBuffer) {
        guard isLatin1 else {
            buffer.writeString(string)
            return
        }
        buffer.writeBytes(string.unicodeScalars.lazy.map { UInt8(truncatingIfNeeded: $0.value) })
    }
}

extension String {
    /// Creates a text of bytes, or returns `nil` if they are not UTF-8.
    ///
    /// The initializer of the standard library for any encoding takes ten times as long.
    init?(validating bytes: Span<UInt8>) {
        do {
            self.init(copying: try UTF8Span(validating: bytes))
        } catch {
            return nil
        }
    }
}

/// A field of a head, with its name as it was written.
struct HeadField: Sendable, Hashable {
    let name: String
    /// The name in lower case, by which fields are compared.
    let key: String
    private(set) var text: WireText

    init(_ name: String, _ value: String) {
        self.init(name, WireText(value))
    }

    init(_ name: String, _ text: WireText) {
        self.name = name
        key = name.asciiLowercased
        self.text = text
    }

    var value: String {
        get { text.string }
        set { if !newValue.utf8.elementsEqual(text.string.utf8) { text = WireText(newValue) } }
    }

    /// The elements of a list, without the white space around them (RFC 9110 section 5.6.1).
    var list: [Substring] { Self.list(value) }

    static func list(_ value: String) -> [Substring] {
        value.parts(at: ",").map { $0.trimmingBlanks }.filter { !$0.isEmpty }
    }
}

/// The head of a request: its first line and its fields in their order.
struct RequestMessage: Sendable, Hashable {
    var method: String
    var target: String
    /// The number after `HTTP/1.`: 0 or 1.
    var minorVersion: Int
    var fields: [HeadField]

    var isHead: Bool { method == "HEAD" }

    /// Whether it asks for a WebSocket (RFC 6455 section 4.1).
    var asksForSocket: Bool {
        method == "GET" && minorVersion == 1 && fields.list("connection", contains: "upgrade")
            && fields.list("upgrade", contains: "websocket")
    }

    /// The host and port that the app used, or `nil` if it named none.
    var authority: String? { fields.first { $0.key == "host" }?.value }

    func write(into buffer: inout ByteBuffer) {
        buffer.writeString(method)
        buffer.writeStaticString(" ")
        buffer.writeString(target)
        buffer.writeStaticString(minorVersion == 1 ? " HTTP/1.1\r\n" : " HTTP/1.0\r\n")
        fields.write(into: &buffer)
    }
}

/// The head of an answer: its first line and its fields in their order.
struct ResponseMessage: Sendable, Hashable {
    var minorVersion: Int
    var status: Int
    var reason: WireText
    var fields: [HeadField]

    /// Whether another answer follows to the same request.
    var isInterim: Bool { (100..<200).contains(status) && status != 101 }

    /// Whether the connection ends with it (RFC 9112 section 9.3).
    var endsConnection: Bool {
        if fields.list("connection", contains: "close") { return true }
        return minorVersion == 0 && !fields.list("connection", contains: "keep-alive")
    }

    func write(into buffer: inout ByteBuffer) {
        buffer.writeStaticString(minorVersion == 1 ? "HTTP/1.1 " : "HTTP/1.0 ")
        buffer.writeString(String(status))
        buffer.writeStaticString(" ")
        reason.write(into: &buffer)
        buffer.writeStaticString("\r\n")
        fields.write(into: &buffer)
    }
}

extension [HeadField] {
    /// Returns whether a list among the fields has an element, in any case.
    func list(_ key: String, contains element: String) -> Bool {
        contains { field in
            field.key == key && field.list.contains { $0.asciiLowercased == element }
        }
    }

    fileprivate func write(into buffer: inout ByteBuffer) {
        for field in self {
            buffer.writeString(field.name)
            buffer.writeStaticString(": ")
            field.text.write(into: &buffer)
            buffer.writeStaticString("\r\n")
        }
        buffer.writeStaticString("\r\n")
    }
}

extension WireRequest {
    /// - Parameters:
    ///   - message: The head, as the app sent it.
    ///   - origin: To which it is forwarded.
    init(_ message: RequestMessage, to origin: String) {
        self.init(
            method: message.method,
            origin: origin,
            target: message.target,
            headers: message.fields.map { WireHeader($0.name, $0.value) }
        )
    }
}

extension WireResponse {
    /// The head of an answer, as the backend sent it.
    init(_ message: ResponseMessage, isHTTP2: Bool) {
        self.init(
            status: message.status,
            statusLine: isHTTP2 ? "HTTP/2 \(message.status)" : nil,
            headers: message.fields.map { WireHeader($0.name, $0.value) }
        )
    }
}
