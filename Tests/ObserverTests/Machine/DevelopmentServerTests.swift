import Model
import Profiles
import Testing

@testable import Basics
@testable import Observer

@Suite("Sockets of development servers")
struct DevelopmentServerTests {
    private static let sockets: [(target: String, offered: String?)] = [
        ("/?token=\(TrafficScript.access(1))", "vite-hmr"), ("/", "vite-ping"),
        ("/_next/webpack-hmr?id=a", nil), ("/sockjs-node/123/abc/websocket", nil),
        ("/livereload", nil), ("/browser-sync/socket.io/?EIO=4&transport=websocket", nil),
        ("/__webpack_hmr", nil), ("/phoenix/live_reload/socket/websocket?vsn=2.0.0", nil),
    ]

    @Test("are no feeds of the app, with whatever token", arguments: sockets)
    func silent(target: String, offered: String?) {
        var script = TrafficScript()
        script.logIn()
        script.call(1)
        var sockets: [Int] = []
        for _ in 1...6 {
            // The page sends its cookies, also those of a token that has ended.
            let headers = [
                WireHeader("Cookie", "access_token=\(TrafficScript.access(1))"),
                WireHeader("Upgrade", "websocket"),
            ]
            let protocols = offered.map { [WireHeader("Sec-WebSocket-Protocol", $0)] } ?? []
            script.wait(200)
            let socket = script.send("GET", target, headers: headers + protocols)
            script.open(socket)
            script.push(socket, from: .app, ["token": .string(TrafficScript.access(1))])
            script.push(socket, ["type": "update", "seq": 7])
            script.close(socket, by: .backend, code: 4401)
            sockets.append(socket)
        }
        let run = ObservationRun(script)
        #expect(run.findings.isEmpty, "\(run.summary)")
        for socket in sockets {
            let exchange = run.machine.traffic.exchange(socket)
            #expect(exchange?.family == nil && exchange?.purpose == .other)
        }
        #expect(!run.events.contains { $0.kind is FeedOpened || $0.kind is FeedMessageReceived })
    }

    @Test("a feed of the app is one", arguments: ["/ws", "/socket", "/charm/hmrc"])
    func feed(target: String) {
        var script = TrafficScript()
        script.logIn()
        let socket = script.dial(target, bearer: TrafficScript.access(1))
        script.open(socket)
        let run = ObservationRun(script)
        #expect(run.machine.traffic.exchange(socket)?.purpose == .socket)
        #expect(run.events.contains { $0.kind is FeedOpened })
    }
}
