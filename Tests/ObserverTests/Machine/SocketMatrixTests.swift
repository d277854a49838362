import FoundationEssentials
import Model
import Profiles
import Testing

@testable import Basics
@testable import Observer

/// A protocol's way to present a token on a socket or a stream: in the request, or in a message.
struct SocketPresentation: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var target = "/socket"
    var headers: [WireHeader] = []
    /// A message of the app, with `T` in the place of the token.
    var message: String?
    var isBinary = false
    var isStream = false

    /// Opens the socket with a token, and gives the token in a message if that is the way.
    func open(_ script: inout TrafficScript, with token: String) -> Int {
        let fields = headers.map { WireHeader($0.name, Self.filled($0.value, token)) }
        let kind =
            isStream
            ? WireHeader("Accept", "text/event-stream") : WireHeader("Upgrade", "websocket")
        let socket = script.send("GET", Self.filled(target, token), headers: fields + [kind])
        if isStream {
            script.wait(TrafficScript.roundTrip)
            script.answer(socket, 200, headers: [WireHeader("Content-Type", "text/event-stream")])
            script.deliver(socket)
        } else {
            script.open(socket)
        }
        present(token, on: socket, &script)
        return socket
    }

    /// Gives a token on an open socket.
    func present(_ token: String, on socket: Int, _ script: inout TrafficScript) {
        guard let message else { return }
        let text = Self.filled(message, token)
        if isBinary {
            script.pushBinary(socket, from: .app, Array(text.utf8))
        } else {
            script.push(socket, from: .app, text: text)
        }
    }

    private static func filled(_ text: String, _ token: String) -> String {
        func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }
        func base64URL(_ text: String) -> String {
            base64(text).replacing("+", with: "-").replacing("/", with: "_").replacing(
                "=",
                with: ""
            )
        }
        return text.replacing("{base64url}", with: base64URL(token))
            .replacing("{base64}", with: base64("{\"Authorization\":\"\(token)\"}"))
            .replacing("{T}", with: token)
    }
}

@Suite("A token on a socket is known in every protocol")
struct SocketMatrixTests {
    private static func header(_ name: String, _ value: String) -> [WireHeader] {
        [WireHeader(name, value)]
    }

    private static let requests: [SocketPresentation] =
        ["Bearer {T}", "Token {T}", "JWT {T}", "{T}", "Bearer  {T}", "\"{T}\""].map {
            SocketPresentation(
                testDescription: "Authorization: \($0)",
                headers: header("Authorization", $0)
            )
        }
        + ["access_token", "token", "jwt", "auth", "ticket", "authToken", "t", "acme"].map {
            SocketPresentation(testDescription: "query \($0)", target: "/socket?\($0)={T}&v=1")
        }
        + [
            SocketPresentation(
                testDescription: "query with a scheme",
                target: "/socket?authorization=Bearer%20{T}"
            ),
            SocketPresentation(testDescription: "path segment", target: "/socket/{T}/feed"),
            SocketPresentation(
                testDescription: "cookie",
                headers: header("Cookie", "theme=dark; acme=\"{T}\"")
            ),
            SocketPresentation(testDescription: "custom header", headers: header("X-Acme", "{T}")),
            SocketPresentation(
                testDescription: "Socket.IO 2: query",
                target: "/socket.io/?EIO=3&transport=websocket&token={T}"
            ),
            SocketPresentation(
                testDescription: "SignalR: query",
                target: "/hub?id=a1b2&access_token={T}"
            ),
            SocketPresentation(
                testDescription: "Ably: query",
                target: "/?accessToken={T}&format=json&heartbeats=true"
            ),
            SocketPresentation(
                testDescription: "AppSync: header in the query",
                target: "/graphql?header={base64}&payload=e30="
            ),
        ]
        + [
            "access_token, {T}", "bearer, {T}", "{T}", "graphql-ws, {T}", "acme.v1, token-{T}",
            "base64url.bearer.authorization.k8s.io.{base64url}, v4.channel.k8s.io",
            "graphql-ws, header-{base64}", "Bearer.{T}", "v1, authorization.bearer.{T}",
        ].map {
            SocketPresentation(
                testDescription: "subprotocol \($0)",
                headers: header("Sec-WebSocket-Protocol", $0)
            )
        }

    private static let messages: [SocketPresentation] =
        [
            ("Home Assistant", "{\"type\":\"auth\",\"access_token\":\"{T}\"}"),
            (
                "graphql-ws, Authorization",
                "{\"type\":\"connection_init\",\"payload\":{\"Authorization\":\"Bearer {T}\"}}"
            ),
            (
                "graphql-ws, authToken",
                "{\"type\":\"connection_init\",\"payload\":{\"authToken\":\"{T}\"}}"
            ),
            (
                "graphql-ws, headers",
                "{\"type\":\"connection_init\",\"payload\":{\"headers\":{\"Authorization\":\"Bearer {T}\"}}}"
            ),
            (
                "AppSync",
                "{\"id\":\"1\",\"type\":\"start\",\"payload\":{\"data\":\"{}\",\"extensions\":{\"authorization\":{\"Authorization\":\"{T}\"}}}}"
            ),
            (
                "subscriptions-transport-ws",
                "{\"id\":\"1\",\"type\":\"init\",\"payload\":{\"token\":\"{T}\"}}"
            ),
            (
                "Phoenix",
                "{\"topic\":\"room:1\",\"event\":\"phx_join\",\"payload\":{\"user_token\":\"{T}\"},\"ref\":\"1\"}"
            ),
            ("Phoenix, a list", "[\"1\",\"1\",\"room:1\",\"phx_join\",{\"token\":\"{T}\"}]"),
            (
                "Supabase",
                "{\"topic\":\"realtime:x\",\"event\":\"phx_join\",\"payload\":{\"config\":{},\"access_token\":\"{T}\"}}"
            ),
            (
                "Supabase, again",
                "{\"topic\":\"realtime:x\",\"event\":\"access_token\",\"payload\":{\"access_token\":\"{T}\"}}"
            ),
            ("Socket.IO 4", "40{\"token\":\"{T}\"}"),
            ("Socket.IO 4, a namespace", "40/chat,{\"token\":\"Bearer {T}\"}"),
            ("Socket.IO event", "42[\"authenticate\",{\"token\":\"{T}\"}]"),
            ("Socket.IO event, a text", "42[\"authenticate\",\"{T}\"]"),
            ("SignalR", "{\"type\":1,\"target\":\"Authenticate\",\"arguments\":[\"{T}\"]}\u{1E}"),
            (
                "ActionCable",
                "{\"command\":\"subscribe\",\"identifier\":\"{\\\"channel\\\":\\\"Room\\\",\\\"token\\\":\\\"{T}\\\"}\"}"
            ),
            ("STOMP", "CONNECT\naccept-version:1.2\nAuthorization:Bearer {T}\n\n\0"),
            ("STOMP, login", "CONNECT\nlogin:ada\npasscode:{T}\n\n\0"),
            ("STOMP 1.2", "STOMP\nhost:x\nX-Auth-Token:{T}\n\n\0"),
            ("Centrifugo", "{\"connect\":{\"token\":\"{T}\"},\"id\":1}"),
            ("Centrifugo, renewal", "{\"refresh\":{\"token\":\"{T}\"},\"id\":2}"),
            ("Ably", "{\"action\":17,\"auth\":{\"accessToken\":\"{T}\"}}"),
            (
                "Pusher",
                "{\"event\":\"pusher:subscribe\",\"data\":{\"auth\":\"key:{T}\",\"channel\":\"private-a\"}}"
            ),
            ("Discord, identify", "{\"op\":2,\"d\":{\"token\":\"{T}\",\"intents\":513}}"),
            (
                "Discord, resume",
                "{\"op\":6,\"d\":{\"token\":\"{T}\",\"session_id\":\"a\",\"seq\":13}}"
            ),
            (
                "DDP",
                "{\"msg\":\"method\",\"method\":\"login\",\"params\":[{\"resume\":\"{T}\"}],\"id\":\"1\"}"
            ),
            ("JSON-RPC", "{\"jsonrpc\":\"2.0\",\"method\":\"auth\",\"params\":[\"{T}\"],\"id\":1}"),
            (
                "Mattermost",
                "{\"seq\":1,\"action\":\"authentication_challenge\",\"data\":{\"token\":\"{T}\"}}"
            ),
            ("text", "AUTH {T}"), ("text with colons", "auth:bearer:{T}"),
            ("base64", "{base64}"),
        ].map { SocketPresentation(testDescription: $0.0, message: $0.1) } + [
            SocketPresentation(
                testDescription: "MQTT: the password of a binary CONNECT",
                headers: header("Sec-WebSocket-Protocol", "mqtt"),
                message: "\u{10}\u{2F}\0\u{4}MQTT\u{4}B\0\u{3C}\0\u{3}app\0\u{3}ada\0\u{1E}{T}",
                isBinary: true
            )
        ]

    private static let streams: [SocketPresentation] = [
        SocketPresentation(
            testDescription: "stream, query",
            target: "/events?acme={T}",
            isStream: true
        ),
        SocketPresentation(
            testDescription: "stream, cookie",
            target: "/events",
            headers: header("Cookie", "acme={T}"),
            isStream: true
        ),
        SocketPresentation(
            testDescription: "stream, header",
            target: "/events",
            headers: header("Authorization", "Bearer {T}"),
            isStream: true
        ),
        SocketPresentation(testDescription: "stream, path", target: "/events/{T}", isStream: true),
    ]

    static let all = requests + messages + streams

    @Test("it belongs to the session, is in no output, and a healthy one is silent", arguments: all)
    func known(presentation: SocketPresentation) throws {
        var script = TrafficScript()
        script.logIn()
        script.call(1)
        script.wait(5)
        let socket = presentation.open(&script, with: TrafficScript.access(1))
        if !presentation.isStream {
            script.wait(1)
            script.push(socket, ["type": "item", "n": 1])
            script.wait(30)
            script.close(socket, by: .app, code: 1000)
        }
        let run = ObservationRun(script, after: 60)
        let exchange = try #require(run.machine.traffic.exchange(socket))
        #expect(exchange.family == 1 && exchange.generation == 1)
        #expect(exchange.access != nil)
        #expect(run.machine.traffic.graph.families.count == 1)
        #expect(run.findings.allSatisfy { $0.rule == "token-in-url" }, "\(run.summary)")
        let inputs = try run.inputs.map {
            String(decoding: try JSONEncoder().encode($0.input), as: UTF8.self)
        }
        #expect(!inputs.joined().contains(TrafficScript.access(1)))
    }

    @Test("a dial with the token of before the renewal is found", arguments: all)
    func stale(presentation: SocketPresentation) throws {
        var script = TrafficScript()
        script.logIn()
        script.call(1)
        script.wait(240)
        script.renew(1)
        script.call(2)
        script.wait(5)
        let socket = presentation.open(&script, with: TrafficScript.access(1))
        let run = ObservationRun(script, after: 30)
        #expect(run.machine.traffic.exchange(socket)?.generation == 1)
        let isFound = run.findings.contains {
            ["socket-stale-dial", "stale-token"].contains($0.rule)
        }
        #expect(isFound, "\(run.summary)")
    }

    @Test("a renewal that an open socket is told moves it to the new token", arguments: messages)
    func renewed(presentation: SocketPresentation) throws {
        var script = TrafficScript()
        script.logIn()
        let socket = presentation.open(&script, with: TrafficScript.access(1))
        script.wait(240)
        script.renew(1)
        script.call(2)
        script.wait(1)
        presentation.present(TrafficScript.access(2), on: socket, &script)
        for _ in 1...10 {
            script.wait(10)
            script.push(socket, ["type": "item"])
        }
        let run = ObservationRun(script, after: 30)
        #expect(run.machine.traffic.exchange(socket)?.generation == 2)
        #expect(run.findings.isEmpty, "\(run.summary)")
    }
}
