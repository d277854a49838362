import Basics
import Client
import HTTP
import Model
import Synchronization

/// One open WebSocket connection of the feed.
///
/// Binary messages are converted to text as `BinaryFrame` describes. Messages over 1 MiB fail the
/// connection with 1009.
final class WebSocketFeedConnection: FeedConnection {
    let secrets: [Secret]
    private let connection: WebSocketConnection
    private let gate: NetworkGate
    private let end = Mutex<FeedConnectionEvent?>(nil)

    init(_ connection: WebSocketConnection, gate: NetworkGate, secrets: [Secret] = []) {
        self.connection = connection
        self.gate = gate
        self.secrets = secrets
    }

    func nextEvents(atMost limit: Int) async -> [FeedConnectionEvent] {
        if let end = end.withLock({ $0 }) { return [end] }
        while true {
            let arrived = await connection.events.next(atMost: limit)
            // Only if the reader was cancelled.
            guard !arrived.isEmpty else {
                return [.closed(code: 1006, by: .us, reason: "reading was cancelled")]
            }
            let events = arrived.compactMap(event)
            if !events.isEmpty { return events }
        }
    }

    private func event(_ event: WebSocketEvent) -> FeedConnectionEvent? {
        switch event {
        case .text(let text): .text(text)
        case .binary(let bytes): .text(BinaryFrame.text(of: bytes))
        case .pong: .pong
        case .ping: nil
        case .closed(let report): finish(report)
        }
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

/// The text that a feed shows for a binary message: its text where it is UTF-8, else its bytes.
enum BinaryFrame {
    /// One text for one message, so that two messages are the same only if their bytes are.
    static func text(of bytes: [UInt8]) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        return "binary, \(bytes.count) bytes: \(bytes.hexadecimal)"
    }
}
