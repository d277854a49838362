package import Basics

/// A value of answers that requests send again, such as a CSRF token.
struct Capture: Sendable, Hashable {
    /// As placeholders have it.
    let name: String
    let place: JSONLocation

    /// The most captures of a profile.
    static let countLimit = 16
    /// The longest value, in bytes; browsers keep no longer cookies than half of that.
    static let sizeLimit = 8_192

    var reference: CaptureReference { CaptureReference(name: name, source: source) }

    private var source: String {
        if case .json(let path) = place { "json:\(path)" } else { place.text }
    }

    /// Returns the value in an answer, as it is written, or `nil` if there is none that can be
    /// kept.
    func value(in response: WireResponse, _ body: JSONValue) -> Secret? {
        guard let text = text(in: response, body), (1...Self.sizeLimit).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { return nil }
        return Secret(text)
    }

    private func text(in response: WireResponse, _ body: JSONValue) -> String? {
        switch place {
        case .json(let path): return body.value(at: path)?.displayText
        case .header(let name): return response.header(name)
        case .cookie(let name):
            guard case .set(let cookie)? = SetCookie.change(of: name, in: response) else {
                return nil
            }
            return cookie.value
        }
    }

    /// Returns whether an answer deletes the cookie that is the value.
    func isDeleted(in response: WireResponse) -> Bool {
        guard case .cookie(let name) = place else { return false }
        return SetCookie.change(of: name, in: response) == .deleted
    }

    /// Returns the value as a cookie sends it: one that came as a cookie, unchanged.
    func cookieText(_ value: Secret) -> String {
        if case .cookie = place { value.reveal() } else { Cookies.encoded(value.reveal()) }
    }

    /// Returns the value as a header or a field sends it.
    func plainText(_ value: Secret) -> String {
        if case .cookie = place { Cookies.decoded(value.reveal()) } else { value.reveal() }
    }
}

/// The captures that are the credentials of AWS, by the names in its shared credentials file.
///
/// They need not be sent again: `authtop token --format aws` prints them.
package enum AWSCapture: String, CaseIterable {
    case accessKeyID = "aws_access_key_id"
    case secretAccessKey = "aws_secret_access_key"
    case sessionToken = "aws_session_token"
}

/// A capture as a profile names it.
package struct CaptureReference: Sendable, Hashable, Codable {
    package let name: String
    /// Its place in an answer, such as `cookie:csrf_token`.
    package let source: String
}

extension Dialect {
    /// The values that the profile captures, by name.
    package var captureReferences: [CaptureReference] { captures.map(\.reference) }

    /// Returns what an answer says of the captured values.
    package func captured(in response: WireResponse) -> CaptureChange {
        guard !captures.isEmpty else { return .none }
        return captured(in: response, ResponseBody(response, by: recognition).json ?? .null)
    }

    func captured(in response: WireResponse, _ body: JSONValue) -> CaptureChange {
        captures.reduce(into: .none) { change, capture in
            if let value = capture.value(in: response, body) {
                change.values[capture.name] = value
            } else if capture.isDeleted(in: response) {
                change.deleted.insert(capture.name)
            }
        }
    }
}

extension CapturedValues {
    /// The values in each form in which they are sent and received.
    package var secrets: [Secret] { values.values.flatMap(Self.forms) }

    /// A path has a value percent-encoded.
    static func forms(of value: Secret) -> [Secret] {
        let decoded = Secret(Cookies.decoded(value.reveal()))
        let plain = decoded == value || decoded.isEmpty ? [value] : [value, decoded]
        let encoded = plain.map { Secret(PercentEncoding.encode($0.reveal())) }
        return plain + encoded.filter { !plain.contains($0) }
    }
}
