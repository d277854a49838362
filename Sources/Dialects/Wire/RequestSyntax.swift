import HTTPTypes
import Tokens

/// What a request's first line may consist of.
///
/// A target that keeps to it is sent exactly as written; AsyncHTTPClient would encode the rest in
/// its own way, and a WebSocket server would see it raw.
package enum RequestSyntax {
    /// A path and perhaps a query of RFC 3986 characters, every `%` followed by two hex digits.
    package static func isTarget(_ text: String) -> Bool {
        text.utf8.first == UInt8(ascii: "/") && isEncoded(text, besides: "/?:@")
    }

    /// As `isTarget`, without a query.
    package static func isPath(_ text: String) -> Bool {
        text.utf8.first == UInt8(ascii: "/") && isEncoded(text, besides: "/:@")
    }

    /// RFC 9110 section 5.6.2: what a method, or the name of a header or a cookie, consists of.
    package static func isToken(_ text: String) -> Bool {
        HTTPField.Name(text) != nil
    }

    private static func isEncoded(_ text: String, besides others: String) -> Bool {
        var bytes = text.utf8.makeIterator()
        while let byte = bytes.next() {
            if byte == UInt8(ascii: "%") {
                guard bytes.next()?.hexDigitValue != nil, bytes.next()?.hexDigitValue != nil
                else { return false }
            } else {
                guard
                    isAlphanumeric(byte) || "-._~!$&'()*+,;=".utf8.contains(byte)
                        || others.utf8.contains(byte)
                else { return false }
            }
        }
        return true
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        default: (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
    }
}

/// What a backend wants behind a path's question mark in every request.
///
/// It is no secret: targets are shown and logged.
struct FixedQuery: Sendable, Hashable {
    static let none = FixedQuery("")

    /// Percent-encoded, without the question mark.
    let text: String

    init(_ text: String) {
        self.text = text
    }

    /// The first value under each name.
    var items: [String: String] { FormEncoding.decode(text) }

    /// The target: the path, this, and what else is asked for.
    func target(_ path: String, and others: [String] = []) -> String {
        let parts = (text.isEmpty ? [] : [text]) + others
        return parts.isEmpty ? path : path + "?" + parts.joined(separator: "&")
    }

    /// Whether the request asks for all of this, whatever else it asks for.
    func isPart(of request: WireRequest) -> Bool {
        let found = request.queryItems
        return items.allSatisfy { found[$0.key] == $0.value }
    }
}
