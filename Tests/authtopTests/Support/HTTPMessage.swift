/// A request or an answer, as it goes over the wire.
struct HTTPMessage: Sendable {
    /// `POST /auth/refresh HTTP/1.1`, `HTTP/1.1 200 OK`.
    let startLine: String
    let headers: [(name: String, value: String)]
    let body: String
    /// Bytes of all of it.
    let size: Int

    /// Reads one from the start of what has come.
    ///
    /// - Returns: Nil while it is not whole.
    init?(_ bytes: [UInt8]) {
        let text = Array("\r\n\r\n".utf8)
        guard let end = bytes.firstRange(of: text)?.lowerBound else { return nil }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
        startLine = lines.first.map(String.init) ?? ""
        headers = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            let value = parts.count > 1 ? parts[1].drop { $0 == " " } : ""
            return (String(parts.first ?? "").lowercased(), String(value))
        }
        let length = headers.first { $0.name == "content-length" }.flatMap { Int($0.value) } ?? 0
        size = end + text.count + length
        guard bytes.count >= size else { return nil }
        body = String(decoding: bytes[(end + text.count)..<size], as: UTF8.self)
    }

    func values(of name: String) -> [String] { headers.filter { $0.name == name }.map(\.value) }

    private var message: [Substring] { startLine.split(separator: " ") }

    var method: String { String(message.first ?? "") }
    /// Path and query.
    var target: String { message.count > 1 ? String(message[1]) : "" }
    var path: String { String(target.prefix { $0 != "?" }) }
    /// Of an answer.
    var status: Int { message.count > 1 ? Int(message[1]) ?? 0 : 0 }

    /// A member of the JSON body, along a path of keys.
    subscript(path: String) -> JSON? {
        (try? JSON.object(in: body)).flatMap { JSON.object($0)[path] }
    }
}
