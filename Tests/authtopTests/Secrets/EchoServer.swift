import Basics
import Crypto
import Foundation
import Glibc
import Synchronization

/// A backend that repeats everything it was sent, and every token it issues, in each of the forms
/// of `EchoForms`: in what it says of an error, in the names of users and sessions, in headers, in
/// claims, in the messages of its feed and in the reasons with which it closes that.
final class EchoServer: Stoppable {
    /// Of its own making, with what needs escaping.
    static func refresh(_ number: Int) -> String { "rt \"\(number)\"/<&>=7" }

    /// Comes with each pair, for requests to repeat.
    static func captured(_ number: Int) -> String { "csrf-\(number)/+=&of-the-pair" }

    private let listener: LoopbackListener
    private let credentials: [String]

    private struct State {
        var requests = 0
        var pairs = 0
        /// The newest pair of which a token came back in a request of the present program.
        var known = 0
        /// The newest pair of which the refresh token did.
        var knownRefresh = 0
        /// The pairs that were issued before the present program: of those that are stored, it may have the
        /// access token alone.
        var earlier = 0
        var dials = 0
        var refusesLogins = false
        var refusesRefreshes = false
        /// The other contents of the present program's requests, the latest at the end.
        var sent: [String] = []
        /// The contents of the requests of all programs.
        var everSent: Set<String> = []
        var polls = 0
    }
    private let state = Mutex(State())

    init(repeating credentials: [String]) throws {
        self.credentials = credentials
        listener = try LoopbackListener()
        listener.start { [self] in serve($0) }
    }

    var port: Int { listener.port }

    func stop() async { listener.stop() }

    func refuse(logins: Bool = false, refreshes: Bool = false) {
        state.withLock { state in
            state.refusesLogins = logins
            state.refusesRefreshes = refreshes
        }
    }

    /// Nothing of before is repeated until the next program sends it: that has the stored pair at most.
    func forget() {
        state.withLock { state in
            (state.known, state.knownRefresh, state.earlier) = (0, 0, state.pairs)
            state.sent = []
            state.polls = 0
        }
    }

    /// Everything that it was given or has issued so far.
    var secrets: [String] {
        let (pairs, sent) = state.withLock { ($0.pairs, $0.everSent) }
        return credentials + sent.sorted()
            + (0..<pairs).flatMap { [Self.refresh($0 + 1), access($0 + 1)] }
    }

    /// Every form of every secret, in turn.
    private var echoes: [String] {
        let state = state.withLock { $0 }
        var tokens = state.known > 0 ? [access(state.known)] : []
        if state.known > state.earlier || state.known == state.knownRefresh, state.known > 0 {
            tokens.append(Self.refresh(state.known))
        }
        return (credentials + tokens + state.sent).flatMap(EchoForms.all)
            .filter { $0.utf8.count < 4000 }
    }

    private func access(_ number: Int) -> String {
        let claims: JSONValue = .object([
            "sub": .string("user \(credentials.first ?? "")"), "n": .number(Double(number)),
            "exp": .number(4_000_000_000),
            "notes": .string(
                EchoForms.all(
                    of: credentials.isEmpty ? "" : credentials[number % credentials.count]
                ).prefix(9).joined(separator: " ")
            ),
        ])
        func part(_ text: String) -> String {
            Data(text.utf8).base64EncodedString().replacing("+", with: "-")
                .replacing("/", with: "_").replacing("=", with: "")
        }
        return [part(#"{"alg":"HS256"}"#), part(claims.serialized), part("signature \(number)")]
            .joined(separator: ".")
    }

    // MARK: - HTTP

    private func serve(_ connection: Int32) {
        guard let request = LoopbackListener.request(on: connection) else { return }
        recordTokens(in: request)
        recordSecrets(in: request)
        if let key = request.values(of: "sec-websocket-key").first {
            return feed(key, on: connection)
        }
        LoopbackSocket.send(Array(answer(request).utf8), on: connection)
    }

    /// A pair whose answer is still on its way is not repeated.
    private func recordTokens(in request: HTTPMessage) {
        let pairs = state.withLock { $0.pairs }
        let said = request.headers.map(\.value) + [request.target, request.body]
        func newest(_ forms: (Int) -> [String]) -> Int {
            let recent = (max(1, pairs - 8)..<pairs + 1)
            return recent.last { number in
                forms(number).contains { form in said.contains { $0.contains(form) } }
            } ?? 0
        }
        let refresh = newest { EchoForms.all(of: Self.refresh($0)) }
        let pair = max(refresh, newest { [access($0)] })
        state.withLock { state in
            state.known = max(state.known, pair)
            state.knownRefresh = max(state.knownRefresh, refresh)
        }
    }

    /// Takes in what a request holds to prove who sends it.
    private func recordSecrets(in request: HTTPMessage) {
        let found = EchoRequest(request).secrets.filter { !credentials.contains($0) }
        state.withLock { state in
            for secret in found where !state.sent.contains(secret) { state.sent.append(secret) }
            state.sent = state.sent.suffix(8)
            state.everSent.formUnion(found)
        }
    }

    private func answer(_ request: HTTPMessage) -> String {
        let count = state.withLock { state in
            state.requests += 1
            return state.requests
        }
        let echoes = echoes
        let said = request.headers.map(\.value) + [request.target, request.body]
        // As much of it as is shown at all, and another part each time.
        let next =
            echoes.isEmpty
            ? "nothing"
            : echoes[count * 2 % echoes.count] + " " + echoes[(count * 2 + 1) % echoes.count]
        let (status, members) = body(for: request, saying: next, echoes)
        var object = members
        object["echo"] = .array((said + echoes).map(JSONValue.string))
        let text = JSONValue.object(object).serialized
        let clean = next.filter { $0.isASCII && $0 >= " " }
        let own = EchoRequest(request).redirect.map { ["Location: \($0)"] }
        let lines =
            [
                "HTTP/1.1 \(status) Echo", "Content-Type: application/json", "X-Echo: \(clean)",
                "WWW-Authenticate: Bearer error=\"\(clean)\"",
            ] + (own ?? ["Location: /\(clean)"]) + [
                "Content-Length: \(text.utf8.count)", "Connection: close", "", "",
            ]
        return lines.joined(separator: "\r\n") + text
    }

    private func body(
        for request: HTTPMessage,
        saying next: String,
        _ echoes: [String]
    ) -> (Int, [String: JSONValue]) {
        let refuses = state.withLock { ($0.refusesLogins, $0.refusesRefreshes) }
        switch request.path {
        case "/authorize": return (302, [:])
        case "/device":
            let address = "http://127.0.0.1:\(port)/activate"
            return (
                200,
                [
                    "device_code": .string(EchoRequest.deviceCode), "interval": .number(1),
                    "user_code": .string("ABCD-EFGH"), "verification_uri": .string(address),
                    "message": .string(next),
                ]
            )
        case "/token":
            let parsed = EchoRequest(request)
            let isRefresh = parsed.field("grant_type") == "refresh_token"
            guard !(isRefresh ? refuses.1 : refuses.0) else {
                let error = isRefresh ? "invalid_grant" : "invalid_request"
                return (400, ["error": .string(error), "error_description": .string(next)])
            }
            let isPending =
                parsed.isPoll
                && state.withLock { state in
                    state.polls += 1
                    return state.polls < 3
                }
            guard !isPending else {
                let error = JSONValue.string("authorization_pending")
                return (400, ["error": error, "error_description": .string(next)])
            }
            return (200, issued(next, to: request))
        case "/login":
            guard !refuses.0 else { return (401, ["message": .string(next)]) }
            return (200, issued(next, to: request))
        case "/refresh":
            guard !refuses.1 else { return (401, ["message": .string(next)]) }
            return (200, issued(next, to: request))
        case "/sessions":
            let list = echoes.prefix(200).enumerated().map { index, echo in
                JSONValue.object([
                    "id": .string(index % 2 == 0 ? echo : "s\(index)"), "name": .string(echo),
                ])
            }
            return (200, ["sessions": .array(list)])
        default: return (200, ["message": .string(next)])
        }
    }

    private func issued(_ next: String, to request: HTTPMessage) -> [String: JSONValue] {
        let number = state.withLock { state in
            state.pairs += 1
            return state.pairs
        }
        // Its own tokens among the names.
        return [
            "access_token": .string(access(number)),
            "token_type": .string(request.values(of: "dpop").isEmpty ? "Bearer" : "DPoP"),
            "refresh_token": .string(Self.refresh(number)), "expires_in": .number(4),
            "csrf": .string(Self.captured(number)), "scope": .string(next),
            "access": .string(access(number)), "refresh": .string(Self.refresh(number)),
            "expires": .number(4), "id": .string("\(next) \(Self.refresh(number))"),
            "name": .string("\(access(number)) \(next)"),
        ]
    }

    // MARK: - The feed

    private func feed(_ key: String, on connection: Int32) {
        let digest = Insecure.SHA1.hash(data: Data((key + Self.magic).utf8))
        let lines = [
            "HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Accept: \(Data(digest).base64EncodedString())", "", "",
        ]
        guard LoopbackSocket.send(Array(lines.joined(separator: "\r\n").utf8), on: connection)
        else { return }
        let dial = state.withLock { state in
            state.dials += 1
            return state.dials
        }
        let echoes = echoes
        for (index, echo) in echoes.enumerated() {
            let message = JSONValue.object([
                "seq": .number(Double(dial * 1000 + index)), "id": .string(echo),
                "type": .string(echo), "text": .string("\(echo) \(echo)"),
            ])
            guard
                LoopbackSocket.send(
                    Self.frame(0x81, Array(message.serialized.utf8)),
                    on: connection
                )
            else { return }
        }
        // One that is cut off inside of a secret, wherever that is.
        let long = String(repeating: "x", count: 480 + dial) + credentials.joined()
        LoopbackSocket.send(Self.frame(0x81, Array("{\"text\":\"\(long)\"}".utf8)), on: connection)
        let reason = Array(echoes[dial * 5 % echoes.count].utf8.prefix(120))
        let whole = String(validating: reason, as: UTF8.self) == nil ? [] : reason
        LoopbackSocket.send(Self.frame(0x88, [0x0F, 0xA0] + whole), on: connection)
        while !LoopbackSocket.receive(on: connection).isEmpty {}
    }

    private static let magic = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

    /// Not masked, as a server's are (RFC 6455 section 5.2).
    private static func frame(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
        let count = payload.count
        let size = count < 126 ? [UInt8(count)] : [126, UInt8(count >> 8), UInt8(count & 255)]
        return [first] + size + payload
    }
}
