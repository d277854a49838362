package import Basics

/// One HTTP header field; the name keeps its case, but is compared without it.
package struct WireHeader: Sendable, Hashable, Codable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// An HTTP request as a value, relative to a base URL unless it names its own origin.
///
/// It may contain a token, so its description omits headers, query and body.
package struct WireRequest: Sendable, Hashable {
    package var method: String
    /// The scheme, host and port to send it to, or `nil` for the base URL.
    package var origin: String?
    /// The path and the percent-encoded query, beginning with a slash.
    package var target: String
    package var headers: [WireHeader]
    package var body: [UInt8]
    /// The path as it may be shown, with placeholders in place of captured values, or `nil` if it has
    /// none of those.
    var shownPath: String?
    /// The tokens in its query.
    var queryTokens: [Secret] = []
    /// Why it must not be sent, or `nil` if it may be.
    package var problem: RequestProblem?
    /// The proof, in a header that is written when it is sent; `nil` for none.
    package var proof: ProofOfPossession?

    package init(
        method: String,
        origin: String? = nil,
        target: String,
        headers: [WireHeader] = [],
        body: [UInt8] = []
    ) {
        self.method = method
        self.origin = origin
        self.target = target
        self.headers = headers
        self.body = body
    }

    /// The target, after the origin if that is not the base URL.
    var fullTarget: String { (origin ?? "") + target }

    /// Returns the target as it may be shown, after the origin if that is not the base URL, with
    /// placeholders in place of the captured values in its path, and fingerprints in place of the tokens in
    /// its query.
    package func shownTarget(naming fingerprinter: Fingerprinter) -> String {
        let rest = target.dropFirst(path.count)
        let shown = (origin ?? "") + (shownPath ?? path) + rest
        return queryTokens.reduce(shown) { shown, token in
            let sent = FormEncoding.encode([("", token.reveal())])
            return shown.replacing(bytes: sent, with: "=\(fingerprinter.fingerprint(of: token))")
        }
    }

    /// The target without its query.
    package var path: String {
        String(target.part(before: "?"))
    }

    /// Returns the first value of the header, by case-insensitive name.
    package func header(_ name: String) -> String? {
        headers.first { $0.name.isEqualIgnoringCase(name) }?.value
    }
}

/// Why a request cannot be written with the values that there are.
package enum RequestProblem: Sendable, Hashable {
    /// No answer has brought a value that the request sends.
    case missingCapture(CaptureReference)
    /// A value that the header of this name sends has a line break, or is not printable ASCII.
    case unusableHeader(String)
    /// A value would make a segment of the path empty, or one that refers to another place (`..`).
    case unusablePath(CaptureReference)
}

/// An HTTP response as a value.
///
/// It may contain a token, so its description omits headers and body.
package struct WireResponse: Sendable, Hashable {
    /// The size of the largest body that is received and parsed, in bytes.
    package static let bodyLimit = 1024 * 1024

    package var status: Int
    /// `HTTP/1.1 401 Unauthorized`, or `nil` if it came over no network; the phrase is the server's
    /// own only for a status that has no standard one.
    package var statusLine: String?
    package var headers: [WireHeader]
    package var body: [UInt8]

    package init(
        status: Int,
        statusLine: String? = nil,
        headers: [WireHeader] = [],
        body: [UInt8] = []
    ) {
        self.status = status
        self.statusLine = statusLine
        self.headers = headers
        self.body = body
    }

    /// The value of the sandbox's `Server` header.
    package static let sandboxServer = "authtop"

    /// Whether the response states that the sandbox sent it, which any server can.
    package var claimsSandbox: Bool { header("Server") == Self.sandboxServer }

    /// Returns the first value of the header, by case-insensitive name.
    package func header(_ name: String) -> String? {
        headers.first { $0.name.isEqualIgnoringCase(name) }?.value
    }
}

extension WireResponse {
    /// Returns an answer in JSON.
    package static func json(_ value: JSONValue, status: Int = 200) -> WireResponse {
        WireResponse(status: status, headers: [.json], body: Array(value.serialized.utf8))
    }
}

extension WireHeader {
    package static let json = WireHeader("Content-Type", "application/json")
}

extension WireRequest: CustomStringConvertible, CustomReflectable {
    package var description: String { "\(method) \(shownPath ?? path)" }
    package var customMirror: Mirror {
        Mirror(self, children: ["method": method, "path": shownPath ?? path])
    }
}

extension WireResponse: CustomStringConvertible, CustomReflectable {
    package var description: String { "\(status), \(body.count) bytes" }
    package var customMirror: Mirror { Mirror(self, children: ["status": status]) }
}
