import Basics
import HTTP

@testable import Sandbox

/// A client of the feed that reads one thing at a time.
final class FeedClient {
    let connection: WebSocketConnection
    private var events: WebSocketEvents.Iterator
    /// The numbers of the messages so far.
    private(set) var applied: [Int64] = []

    init(_ connection: WebSocketConnection) {
        self.connection = connection
        events = connection.events.makeAsyncIterator()
    }

    /// The next message's JSON.
    func message() async throws -> JSONValue {
        while let event = await events.next() {
            switch event {
            case .text(let text):
                guard let message = JSONValue(parsing: Array(text.utf8)),
                    let seq = message.value(at: "seq")?.numberValue
                else { throw Unexpected("a message that is not JSON") }
                applied.append(Int64(seq))
                return message
            case .closed(let report):
                throw Unexpected("closed with \(report.code)")
            case .binary, .ping, .pong:
                continue
            }
        }
        throw Unexpected("the events ended")
    }

    /// Reads on until there are this many messages in all.
    func read(until count: Int) async throws {
        while applied.count < count { _ = try await message() }
    }

    /// Everything to the very end, by name.
    func rest() async throws -> [String] {
        var rest: [String] = []
        while let event = await events.next() {
            switch event {
            case .text: rest.append("text")
            case .binary: rest.append("binary")
            case .ping: rest.append("ping")
            case .pong: rest.append("pong")
            case .closed(let report): rest.append("closed \(report.code)")
            }
        }
        return rest
    }

    /// Reads to the very end, whatever comes.
    func drain() async throws -> WebSocketCloseReport {
        while let event = await events.next() {
            switch event {
            case .text(let text):
                let message = JSONValue(parsing: Array(text.utf8))
                applied.append(Int64(message?.value(at: "seq")?.numberValue ?? -1))
            case .closed(let report):
                return report
            case .binary, .ping, .pong:
                continue
            }
        }
        throw Unexpected("the events ended without an end")
    }
}

extension [SeqRun] {
    var numbers: [Int64] { flatMap { run in [Int64](run.first...run.last) } }
}
