import NIOCore
import NIOEmbedded
import NIOHTTP1

@testable import HTTP

/// A server's response to the client's upgrade, and the bytes after it.
///
/// The first byte determines how many of the others arrive at once.
enum DialTarget: FuzzTarget {
    static let name = "dial"

    /// The accept value for the key of sixteen zero bytes.
    private static let accept = "ICX+Yqv66kxgM0FcWaLWlFLwTAI="

    static func read(_ bytes: [UInt8]) {
        let channel = EmbeddedChannel()
        do {
            let upgrader = ClientUpgrader(
                random: { 0 },
                limits: WebSocketLimits(),
                subprotocols: ["a"],
                compression: nil
            )
            let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")
            let upgrade = try upgrader.configure(channel, request: head)
            var outcomes: [Result<WebSocketDialResult, any Error>] = []
            upgrade.flatMap { $0 }.assumeIsolated().whenComplete { outcomes.append($0) }
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
            let size = 1 + Int(bytes.first ?? 0)
            let input = bytes.dropFirst()
            for start in stride(from: input.startIndex, to: input.endIndex, by: size) {
                let piece = input[start..<min(start + size, input.endIndex)]
                // Input that is not HTTP is an error in the pipeline as well as a result.
                _ = try? channel.writeInbound(ByteBuffer(bytes: piece))
            }
            _ = try? channel.finish(acceptAlreadyClosed: true)
            channel.embeddedEventLoop.run()
            require(outcomes.count == 1, "a dial has one result: \(outcomes.count)")
            for outcome in outcomes { check(outcome, Array(input)) }
        } catch {
            require(false, "the pipeline is built: \(error)")
        }
    }

    private static func check(_ outcome: Result<WebSocketDialResult, any Error>, _ input: [UInt8]) {
        switch outcome {
        case .success(.open(let connection, let headers)):
            let answer = headers.filter { $0.0.lowercased() == "sec-websocket-accept" }
            require(answer.map(\.1) == [accept], "only the right answer opens: \(answer)")
            require([nil, "a"].contains(connection.subprotocol), "a subprotocol asked for")
        case .success(.refused(let status, _, let body)):
            require((200...999).contains(status), "a final status: \(status)")
            require(body.count <= input.count, "no more than has come")
        case .failure(let error):
            requireOneLine(String(describing: WebSocketDialError(error)), limit: 1000)
        }
    }
}
