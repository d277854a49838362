import Glibc

/// One client's connection, and the one to the server that goes with it.
struct RelayLink {
    private let client: Int32
    private let server: Int32
    private var fromClient: [UInt8] = []
    private var fromServer: [UInt8] = []
    /// The client asked for a WebSocket: what follows is no HTTP.
    private var isTunnel = false
    private var losesAnswer = false
    private(set) var isOver = false

    init(client: Int32, server: Int32) {
        self.client = client
        self.server = server
    }

    var descriptors: [Int32] { isOver ? [] : [client, server] }

    mutating func move(ready: Set<Int32>, relay: Relay) {
        if !isOver, ready.contains(client) { readClient(relay) }
        if !isOver, ready.contains(server) { readServer(relay) }
    }

    /// Ends both connections, even where a program that was started meanwhile has a copy.
    mutating func cut() {
        guard !isOver else { return }
        isOver = true
        for descriptor in [client, server] {
            shutdown(descriptor, Int32(SHUT_RDWR))
            close(descriptor)
        }
    }

    private mutating func readClient(_ relay: Relay) {
        let bytes = LoopbackSocket.receive(on: client)
        guard !bytes.isEmpty else { return cut() }
        guard !isTunnel else { return pass(bytes, to: server) }
        fromClient += bytes
        while let request = HTTPMessage(fromClient) {
            let whole = fromClient.prefix(request.size)
            fromClient.removeFirst(request.size)
            isTunnel = !request.values(of: "upgrade").isEmpty
            switch relay.record(request: request) {
            case nil:
                pass(whole, to: server)
            case .answerLost?:
                losesAnswer = true
                pass(whole, to: server)
            case .answered(let answer)?:
                pass(answer.utf8, to: client)
            }
        }
    }

    private mutating func readServer(_ relay: Relay) {
        let bytes = LoopbackSocket.receive(on: server)
        guard !bytes.isEmpty else { return cut() }
        if !isTunnel {
            fromServer += bytes
            while let answer = HTTPMessage(fromServer) {
                fromServer.removeFirst(answer.size)
                relay.record(answer: answer)
                if losesAnswer { return cut() }
            }
        }
        if !losesAnswer { pass(bytes, to: client) }
    }

    private mutating func pass(_ bytes: some Collection<UInt8>, to descriptor: Int32) {
        if !isOver, !LoopbackSocket.send(bytes, on: descriptor) { cut() }
    }
}
