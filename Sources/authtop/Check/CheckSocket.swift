import Basics
import Client
import Model
import Observer
import Profiles

/// One socket of the feed, from its upgrade to its end.
///
/// Messages of the server on it are read and discarded.
struct CheckSocket {
    let dial: CheckDial
    let transport: any FeedTransport
    var proofs: CheckProofs?
    let time: any Timekeeper
    /// Ends when the socket is needed no more.
    let orders: AsyncStream<Void>

    /// Opens the socket and reports its result; returns when it is closed.
    func follow(timeout: Double, report: @escaping @Sendable (CheckInput) -> Void) async {
        let sentAt = time.moment
        let deadline = sentAt.now.advanced(bySeconds: timeout)
        func open(_ request: FeedRequest) async -> FeedDialOutcome {
            await transport.dial(request, deadline: deadline)
        }
        let outcome =
            if let proofs {
                await proofs.dial(dial.request, by: open)
            } else {
                await open(dial.request)
            }
        let endedAt = time.moment
        switch outcome {
        case .refused(let response):
            report(
                .dialed(socket: dial.id, .answered(response), sentAt: sentAt, endedAt: endedAt)
            )
        case .failed(let detail):
            report(
                .dialed(
                    socket: dial.id,
                    .unanswered(detail: detail),
                    sentAt: sentAt,
                    endedAt: endedAt
                )
            )
        case .opened(let connection):
            for text in dial.request.greetings { await connection.send(text: text) }
            report(.dialed(socket: dial.id, nil, sentAt: sentAt, endedAt: endedAt))
            await follow(connection, report)
        }
    }

    private func follow(
        _ connection: any FeedConnection,
        _ report: @escaping @Sendable (CheckInput) -> Void
    ) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                while true {
                    guard case .closed(let code, _, _) = await connection.nextEvent() else {
                        continue
                    }
                    return report(.socketClosed(dial.id, code: code))
                }
            }
            group.addTask {
                for await _ in orders {}
                await connection.close(code: 1000, reason: "")
            }
            await group.next()
            group.cancelAll()
        }
    }
}
