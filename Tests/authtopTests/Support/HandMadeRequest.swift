import Glibc

/// A request as a user types it for curl.
struct HandMadeRequest: Sendable {
    var method: String
    var target: String
    var headers: [String: String] = [:]
    var body = ""

    struct Unanswered: Error {
        let target: String
    }

    /// Sends it to a port of this machine, on a connection of its own.
    func send(to port: Int) async throws -> HTTPMessage {
        try await onThread {
            let descriptor = try LoopbackSocket.connect(to: port)
            defer { close(descriptor) }
            LoopbackSocket.send(text.utf8, on: descriptor)
            var answer: [UInt8] = []
            while true {
                if let message = HTTPMessage(answer) { return message }
                let part = LoopbackSocket.receive(on: descriptor)
                guard !part.isEmpty else { throw Unanswered(target: target) }
                answer += part
            }
        }
    }

    private var text: String {
        var lines = ["\(method) \(target) HTTP/1.1"]
        if headers["Host"] == nil { lines.append("Host: 127.0.0.1") }
        lines += headers.map { "\($0): \($1)" }.sorted()
        if !body.isEmpty { lines.append("Content-Length: \(body.utf8.count)") }
        return lines.joined(separator: "\r\n") + "\r\n\r\n" + body
    }
}
