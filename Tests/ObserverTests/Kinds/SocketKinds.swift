import Basics
import FoundationEssentials
import Model
import Observer
import Profiles

/// Sockets that are opened with a token of before, or with one that is refused.
extension TrafficKind {
    static let sockets: [TrafficKind] =
        Dialing.allCases.map { dialing in
            TrafficKind(
                "each dial has the token of the first start \(dialing.words), and is refused",
                says: [
                    .bug("socket-stale-dial", "the access token of generation 1 after"),
                    .bug("socket-stale-dial", "dials within"),
                ],
                pairs: [2]
            ) { script in
                script.logIn()
                open(dialing, 1, in: &script)
                script.wait(290)
                script.renew(1)
                script.call(2)
                for _ in 1...6 {
                    script.wait(2)
                    open(dialing, 1, isRefused: true, in: &script)
                }
            } twin: { script in
                script.logIn()
                open(dialing, 1, in: &script)
                script.wait(290)
                script.renew(1)
                script.call(2)
                for _ in 1...2 {
                    script.wait(2)
                    open(dialing, 2, in: &script)
                }
            }
        }
        + [
            TrafficKind(
                "a socket refuses one token in a message at each dial, and nobody renews it",
                says: [
                    .likelyBug("no-refresh", "8 requests in"),
                    .bug("socket-stale-dial", "dials within 30 s with one access token"),
                ],
                pairs: [2]
            ) { script in
                script.logIn(life: 1_800)
                open(.message, 1, in: &script)
                script.wait(300)
                for _ in 1...8 {
                    open(.message, 1, isRefused: true, in: &script)
                    script.wait(4)
                }
            } twin: { script in
                script.logIn(life: 1_800)
                open(.message, 1, in: &script)
                script.wait(300)
                open(.message, 1, isRefused: true, in: &script)
                script.renew(1, life: 1_800)
                open(.message, 2, in: &script)
            }
        ]

    /// A protocol's way to give a token, and to refuse it.
    enum Dialing: CaseIterable {
        case header
        case subprotocol
        case message
        case join
        case initialization
        case socketIO
        case frame

        var words: String {
            switch self {
            case .header: "in a header"
            case .subprotocol: "inside base64 in a subprotocol"
            case .message: "in a message"
            case .join: "in what joins a channel"
            case .initialization: "in what begins a subscription of GraphQL"
            case .socketIO: "in what connects Socket.IO"
            case .frame: "in a frame of STOMP"
            }
        }

        /// A message of the app, and what refuses it.
        func messages(_ token: String) -> (request: String, refusal: String)? {
            switch self {
            case .header, .subprotocol: nil
            case .message:
                ("{\"type\":\"auth\",\"access_token\":\"\(token)\"}", "{\"type\":\"auth_invalid\"}")
            case .join:
                (
                    "{\"topic\":\"a\",\"event\":\"phx_join\",\"payload\":{\"access_token\":\""
                        + "\(token)\"},\"ref\":\"1\"}",
                    "{\"topic\":\"a\",\"event\":\"phx_reply\",\"payload\":{\"status\":\"error\","
                        + "\"response\":{\"reason\":\"Token has expired\"}},\"ref\":\"1\"}"
                )
            case .initialization:
                (
                    "{\"type\":\"connection_init\",\"payload\":{\"Authorization\":\"Bearer "
                        + "\(token)\"}}",
                    "{\"type\":\"connection_error\",\"payload\":{\"message\":\"Unauthorized\"}}"
                )
            case .socketIO: ("40{\"token\":\"\(token)\"}", "44{\"message\":\"jwt expired\"}")
            case .frame:
                (
                    "CONNECT\naccept-version:1.2\nAuthorization:Bearer \(token)\n\n\0",
                    "ERROR\nmessage:Unauthorized\n\n\0"
                )
            }
        }

        func headers(_ token: String) -> [WireHeader] {
            switch self {
            case .header: return [WireHeader("Authorization", "Bearer \(token)")]
            case .subprotocol:
                let text = Data("{\"Authorization\":\"\(token)\"}".utf8).base64EncodedString()
                return [WireHeader("Sec-WebSocket-Protocol", "graphql-ws, header-\(text)")]
            case .message, .join, .initialization, .socketIO, .frame: return []
            }
        }
    }

    private static func open(
        _ dialing: Dialing,
        _ number: Int,
        isRefused: Bool = false,
        in script: inout TrafficScript
    ) {
        let token = TrafficScript.access(number)
        let upgrade = WireHeader("Upgrade", "websocket")
        let socket = script.send("GET", "/socket", headers: dialing.headers(token) + [upgrade])
        guard let messages = dialing.messages(token) else {
            if isRefused {
                script.finish(socket, 401)
            } else {
                script.open(socket)
                script.close(socket, by: .app, code: 1000)
            }
            return
        }
        script.open(socket)
        script.push(socket, from: .app, text: messages.request)
        if isRefused {
            script.push(socket, text: messages.refusal)
            script.close(socket, by: .backend, code: 1000)
        } else {
            script.push(socket, ["type": "ready"])
            script.close(socket, by: .app, code: 1000)
        }
    }
}
