import Foundation
import Synchronization

/// A backend that speaks as one shape does: each refresh token may be used once.
final class ShapeBackend: Sendable {
    private struct State {
        var count = 0
        var live: [String: Date] = [:]
        var refresh: String?
        var isRevoked = false
        var requests: [HTTPMessage] = []
        var spentTwice = 0
    }

    /// The end of each of its tokens.
    let mark = "-of-\(UUID().uuidString)"
    private let shape: Shape
    private let state = Mutex(State())

    init(_ shape: Shape) {
        self.shape = shape
    }

    /// The requests of one kind, such as `POST /login`, in order.
    func requests(_ kind: String) -> [HTTPMessage] {
        state.withLock { $0.requests }.filter { shape.route($0) == kind }
    }

    /// The number of times that a refresh token came that had been used before.
    var spentTwice: Int { state.withLock { $0.spentTwice } }

    /// From now on, no refresh token is good.
    func revoke() { state.withLock { $0.isRevoked = true } }

    func answer(_ request: HTTPMessage) -> ShapeAnswer {
        state.withLock { state in
            state.requests.append(request)
            return answer(request, &state)
        }
    }

    private func answer(_ request: HTTPMessage, _ state: inout State) -> ShapeAnswer {
        switch shape.route(request) {
        case "POST /login":
            return shape.admits(request) ? issue(&state) : shape.rejected
        case "POST /refresh":
            guard let token = shape.refreshToken(request) else { return ShapeAnswer(400) }
            guard token == state.refresh, !state.isRevoked else {
                if !state.isRevoked { state.spentTwice += 1 }
                return shape.refused
            }
            return issue(&state)
        case "GET /me":
            let end = shape.accessToken(request).flatMap { state.live[$0] }
            return end.map { $0 > Date() } ?? false ? ShapeAnswer(200, "{}") : shape.expired
        default:
            return ShapeAnswer(404, "<html>Not Found</html>")
        }
    }

    private func issue(_ state: inout State) -> ShapeAnswer {
        state.count += 1
        let pair = ShapePair(
            access: "access-\(state.count)\(mark)",
            refresh: "refresh-\(state.count)\(mark)",
            end: Date().addingTimeInterval(shape.lifetime),
            lifetime: Int(shape.lifetime)
        )
        state.live[pair.access] = pair.end
        state.refresh = pair.refresh
        return shape.issued(pair)
    }
}

/// The pair that a shape's backend issues.
struct ShapePair: Sendable {
    let access: String
    let refresh: String
    let end: Date
    let lifetime: Int

    var milliseconds: Int { Int(end.timeIntervalSince1970 * 1000) }

    /// In UTC, to the millisecond, without a zone.
    var local: String {
        end.formatted(.iso8601.dateTimeSeparator(.standard)).replacing("Z", with: "")
    }

    /// As RFC 9110 section 5.6.7 wants it.
    var httpDate: String { ShapeAnswer.httpDate(end) }
}

/// One answer, with a `Date` and a length.
struct ShapeAnswer: Sendable {
    var status: Int
    var body: String
    var headers: [String]

    /// Without a body there is no content type either.
    init(_ status: Int, _ body: String = "", _ headers: [String] = []) {
        self.status = status
        self.body = body
        let type = body.hasPrefix("<") ? "text/html" : "application/json"
        self.headers = headers + (body.isEmpty ? [] : ["Content-Type: \(type)"])
    }

    var text: String {
        let lines =
            ["HTTP/1.1 \(status) Answer", "Date: \(Self.httpDate(Date()))"] + headers
            + ["Content-Length: \(body.utf8.count)", "Connection: close", "", ""]
        return lines.joined(separator: "\r\n") + body
    }

    static func httpDate(_ date: Date) -> String {
        var seconds = Int(date.timeIntervalSince1970)
        var time = tm()
        gmtime_r(&seconds, &time)
        var text = [CChar](repeating: 0, count: 40)
        let count = strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &time)
        return String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// A shape's backend on this machine.
struct ShapeServer {
    let backend: ShapeBackend
    let port: Int
}

extension Bench {
    func server(_ shape: Shape) throws -> ShapeServer {
        let backend = ShapeBackend(shape)
        let server = keep(try LoopbackServer { backend.answer($0).text })
        return ShapeServer(backend: backend, port: server.port)
    }
}
