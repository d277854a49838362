import Basics

/// The metadata of a provider (RFC 8414, OpenID Connect Discovery), whose endpoints an app uses as
/// they are written there.
enum DiscoveryDocument {
    /// The limit beyond which metadata are passed on as they are, in bytes.
    static let maximum = 256 << 10

    private static let names = [
        "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server",
    ]

    /// Returns whether a request is for metadata; a provider may add the path of its issuer.
    static func isAsked(for request: RequestMessage) -> Bool {
        guard request.method == "GET", request.target.containsBytes(of: "/.well-known/") else {
            return false
        }
        let path = request.target.part(before: "?")
        return names.contains { path.ends(with: $0) || String(path).containsBytes(of: "\($0)/") }
    }

    /// Returns whether the body of an answer is rewritten: JSON without a coding.
    static func isRewritten(_ response: ResponseMessage) -> Bool {
        guard response.status == 200 else { return false }
        let type = response.fields.first { $0.key == "content-type" }?.value.asciiLowercased ?? ""
        let codings = response.fields.filter { $0.key == "content-encoding" }
        return type.containsBytes(of: "json")
            && codings.allSatisfy { $0.value.asciiLowercased == "identity" }
    }

    /// Replaces addresses in a document, and leaves everything else as it was.
    ///
    /// - Parameters:
    ///   - json: The document.
    ///   - address: Returns the address that replaces a URL, or `nil` if it stays.
    /// - Returns: The document, unchanged if it is no JSON.
    static func rewriting(_ json: [UInt8], address: (String) -> String?) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(json.count)
        var index = 0
        var name = ""
        while index < json.count {
            guard json[index] == UInt8(ascii: "\"") else {
                result.append(json[index])
                index += 1
                continue
            }
            guard let end = endOfString(in: json, from: index + 1) else { return json }
            let written = json[(index + 1)..<end]
            let text = String(decoding: written, as: UTF8.self).replacing(bytes: "\\/", with: "/")
            if isName(json, after: end) {
                name = text
                result += json[index...end]
            } else if name != "issuer", !text.has("\\"), let other = address(text) {
                result += "\"\(other)\"".utf8
            } else {
                result += json[index...end]
            }
            index = end + 1
        }
        return result
    }

    /// The issuer that a document names, or `nil` if it names none.
    static func issuer(in json: [UInt8]) -> String? {
        JSONValue(parsing: json)?["issuer"]?.stringValue
    }

    private static func endOfString(in json: [UInt8], from start: Int) -> Int? {
        var index = start
        while index < json.count {
            switch json[index] {
            case UInt8(ascii: "\\"): index += 2
            case UInt8(ascii: "\""): return index
            default: index += 1
            }
        }
        return nil
    }

    /// Returns whether a string that ends here is the name of a member.
    private static func isName(_ json: [UInt8], after end: Int) -> Bool {
        json[(end + 1)...].first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: ":")
    }
}
