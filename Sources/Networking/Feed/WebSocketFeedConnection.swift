import Lifecycle
import Sessions
import Synchronization
import Tokens
import WebSockets

/// One open WebSocket connection of the feed.
///
/// Binary messages are converted to text as `BinaryFrame` describes. Messages over 1 MiB fail the
/// connection with 1009.
final class WebSocketFeedConnection: FeedConnection {
    private let connection: WebSocketConnection
    private let gate: NetworkGate
    private let end = Mutex<FeedConnectionEvent?>(nil)

    init(_ connection: WebSocketConnection, gate: NetworkGate) {
        self.connection = connection
        self.gate = gate
    }

    func nextEvent() async -> FeedConnectionEvent {
        if let end = end.withLock({ $0 }) { return end }
        var events = connection.events.makeAsyncIterator()
        while let event = await events.next() {
            switch event {
            case .text(let text): return .text(text)
            case .binary(let bytes): return .text(BinaryFrame.text(of: bytes))
            case .pong: return .pong
            case .ping: continue
            case .closed(let report): return finish(report)
            }
        }
        // Only reached if the reader was cancelled.
        return .closed(code: 1006, by: .us, reason: "reading was cancelled")
    }

    /// Sends a message; does nothing after the end, which `nextEvent` reports.
    func send(text: String) async {
        guard isAlive else { return }
        try? await connection.send(text: text)
    }

    func ping() async {
        guard isAlive else { return }
        try? await connection.ping()
    }

    func traffic() async -> FeedTraffic? {
        await connection.traffic().map {
            FeedTraffic(received: $0.compressed, content: $0.content)
        }
    }

    func close(code: Int, reason: String) async {
        guard isAlive else { return }
        await connection.close(code: UInt16(clamping: code), reason: reason)
    }

    func cut() async {
        guard isAlive else { return }
        connection.drop()
    }

    private var isAlive: Bool { gate.isOpen && end.withLock { $0 == nil } }

    private func finish(_ report: WebSocketCloseReport) -> FeedConnectionEvent {
        let event = FeedConnectionEvent.closed(
            code: Int(report.code),
            by: FeedCloser(report.initiator),
            reason: report.reason
        )
        end.withLock { $0 = event }
        return event
    }
}

extension FeedCloser {
    fileprivate init(_ initiator: WebSocketCloseReport.Initiator) {
        switch initiator {
        case .us: self = .us
        case .peer: self = .peer
        case .transport: self = .transport
        }
    }
}

/// What a feed shows of a binary message: its text where it is UTF-8, else its bytes.
enum BinaryFrame {
    /// One text for one message, so that two messages are the same only if their bytes are.
    static func text(of bytes: [UInt8]) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        return "binary, \(bytes.count) bytes: \(bytes.hexadecimal)"
    }
}
