import Foundation

/// A request to `EchoServer`, and what in it proves who has sent it.
struct EchoRequest {
    static let code = "c0de+Of/the=\"sign-in\""
    static let deviceCode = "d3vice-c0de+Of/the=\"sign-in\""

    private static let fields = [
        "assertion", "client_assertion", "client_secret", "code", "code_verifier", "device_code",
        "password", "subject_token",
    ]

    private let request: HTTPMessage

    init(_ request: HTTPMessage) {
        self.request = request
    }

    /// Its fields of these names, its cookies, its proof (RFC 9449), and its CSRF token.
    var secrets: [String] {
        let headers = ["dpop", "x-csrf"].flatMap(request.values)
        let cookies = request.values(of: "cookie").flatMap { $0.split(separator: ";") }
            .compactMap { $0.split(separator: "=", maxSplits: 1).dropFirst().first }
        return Self.fields.compactMap(field) + headers + cookies.map(String.init)
    }

    /// Whether a device asks for its tokens.
    var isPoll: Bool { field("device_code") != nil }

    /// Where a sign-in ends.
    var redirect: String? {
        guard request.path == "/authorize", let query = request.target.split(separator: "?").last,
            let address = Self.field("redirect_uri", of: query),
            let state = Self.field("state", of: query),
            let code = Self.code.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
        else { return nil }
        return "\(address)?state=\(state)&code=\(code)"
    }

    /// A field of its form.
    func field(_ name: String) -> String? { Self.field(name, of: request.body[...]) }

    private static func field(_ name: String, of form: Substring) -> String? {
        form.split(separator: "&").first { $0.hasPrefix("\(name)=") }
            .map { $0.dropFirst(name.count + 1).replacing("+", with: " ") }
            .flatMap(\.removingPercentEncoding)
    }
}
