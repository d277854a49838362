import NIOCore
import NIOPosix
import Testing

@testable import HTTP

extension WebSocketConnection {
    /// The report of the end, after whatever comes before it.
    fileprivate func end() async -> WebSocketCloseReport? {
        var report: WebSocketCloseReport?
        for await event in events {
            #expect(report == nil, "an event after the end")
            if case .closed(let told) = event { report = told }
        }
        return report
    }
}

@Suite("Closing", .timeLimit(.minutes(20)))
struct ClosingTests {
    private static let dialer = WebSocketDialer.unpredictable(
        limits: WebSocketLimits(closeTimeout: .milliseconds(200))
    )

    @Test("either side closes with code and reason, and both hear it", arguments: [true, false])
    func handshake(clientCloses: Bool) async throws {
        let (reports, reporting) = AsyncStream.makeStream(of: WebSocketCloseReport?.self)
        try await withServer(limits: .patient) { connection in
            if !clientCloses { await connection.close(code: 4401, reason: "expired ⏳") }
            reporting.yield(await connection.end())
        } body: { port in
            let connection = try await WebSocketDialer.unpredictable().open(.local(port))
            if clientCloses { await connection.close(code: 4401, reason: "expired ⏳") }
            let ours = try #require(await connection.end())
            let theirs = try #require(await reports.first { _ in true } ?? nil)
            #expect(ours.code == 4401)
            #expect(ours.initiator == (clientCloses ? .us : .peer))
            #expect(theirs.code == 4401)
            #expect(theirs.initiator == (clientCloses ? .peer : .us))
            #expect(ours.clean && theirs.clean)
            #expect((clientCloses ? theirs : ours).reason == "expired ⏳")
        }
    }

    @Test("after the end, close tells how it was and sending fails")
    func afterwards() async throws {
        try await withServer(serve: WebSocketConnection.echo) { port in
            let connection = try await WebSocketDialer.unpredictable().open(.local(port))
            let first = await connection.close(code: 4000, reason: "")
            #expect(await connection.close(code: 4001, reason: "") == first)
            await #expect(throws: WebSocketSendError.closed) {
                try await connection.send(text: "late")
            }
        }
    }

    @Test("close without a code sends none")
    func withoutCode() async throws {
        try await withServer(serve: WebSocketConnection.echo) { port in
            let connection = try await WebSocketDialer.unpredictable().open(.local(port))
            let report = await connection.close(code: 1005, reason: "")
            #expect(
                report
                    == WebSocketCloseReport(code: 1005, reason: "", initiator: .us, clean: true)
            )
        }
    }

    @Test("a transport that is cut is 1006")
    func cut() async throws {
        try await withRawServer { peer in
            _ = try await peer.readHead()
            try await peer.write(acceptance().bytes + frame(1, "last".bytes) + [0x81])
        } body: { port in
            let connection = try await WebSocketDialer.predictable.open(.local(port))
            var events = connection.events.makeAsyncIterator()
            let first = await events.next()
            #expect(first == .text("last"))
            let second = await events.next()
            guard case .closed(let report) = second else {
                Issue.record("\(String(describing: second))")
                return
            }
            #expect(report.code == 1006)
            #expect(report.initiator == .transport)
            #expect(!report.clean)
            #expect(await events.next() == nil)
        }
    }

    @Test("a dropped connection is 1006 by us, and the peer sees its transport end")
    func dropped() async throws {
        let (reports, reporting) = AsyncStream.makeStream(of: WebSocketCloseReport?.self)
        try await withServer { connection in
            try? await connection.send(text: "here")
            reporting.yield(await connection.end())
        } body: { port in
            let connection = try await WebSocketDialer.unpredictable().open(.local(port))
            var events = connection.events.makeAsyncIterator()
            #expect(await events.next() == .text("here"))
            connection.drop()
            let ours = try #require(await connection.end())
            let theirs = try #require(await reports.first { _ in true } ?? nil)
            #expect(ours.code == 1006)
            #expect(ours.initiator == .us)
            #expect(theirs.code == 1006)
            #expect(theirs.initiator == .transport)
        }
    }

    @Test("a reset is reported in words for users")
    func reset() async throws {
        try await withRawServer { peer in
            _ = try await peer.readHead()
            try await peer.write(acceptance().bytes + frame(1, "first".bytes))
            // The client has read the frame once it says so.
            _ = try await peer.read(1)
            try await peer.reset()
        } body: { port in
            let dialer = WebSocketDialer(
                group: .singletonMultiThreadedEventLoopGroup,
                limits: WebSocketLimits(closeTimeout: .milliseconds(200)),
                random: { 0 }
            )
            let connection = try await dialer.open(.local(port))
            var report: WebSocketCloseReport?
            for await event in connection.events {
                if case .text = event { try await connection.send(text: "read") }
                if case .closed(let told) = event { report = told }
            }
            #expect(report?.code == 1006)
            #expect(report?.initiator == .transport)
            #expect(report?.reason == "the connection was reset")
        }
    }

    @Test("a silent peer does not hang close, nor keep the transport")
    func silent() async throws {
        let (ended, ending) = AsyncStream.makeStream(of: [UInt8].self)
        try await withRawServer { peer in
            _ = try await peer.readHead()
            try await peer.write(acceptance())
            ending.yield(await peer.readToEnd())
        } body: { port in
            let dialer = WebSocketDialer(
                group: .singletonMultiThreadedEventLoopGroup,
                limits: WebSocketLimits(closeTimeout: .milliseconds(200)),
                random: { 0 }
            )
            let connection = try await dialer.open(.local(port))
            let report = await connection.close(code: 1000, reason: "bye")
            #expect(report.code == 1006)
            #expect(report.initiator == .us)
            #expect(await connection.end() == report)
            let received = await ended.first { _ in true }
            #expect(received == frame(8, [0x03, 0xE8] + "bye".bytes, mask: 0))
        }
    }

    @Test("a peer that does not read hangs neither close nor who is sending")
    func unread() async throws {
        let (done, finishing) = AsyncStream.makeStream(of: Void.self)
        try await withRawServer { peer in
            _ = try await peer.readHead()
            try await peer.stopReading()
            try await peer.write(acceptance())
            _ = await done.first { _ in true }
        } body: { port in
            let dialer = WebSocketDialer(
                group: .singletonMultiThreadedEventLoopGroup,
                limits: WebSocketLimits(closeTimeout: .milliseconds(200)),
                random: { 0 }
            )
            let connection = try await dialer.open(.local(port))
            let sending = Task { () -> WebSocketSendError? in
                do throws(WebSocketSendError) {
                    let bytes = [UInt8](repeating: 0, count: 1 << 20)
                    while true { try await connection.send(binary: bytes) }
                } catch {
                    return error
                }
            }
            let cancelled = Task { () -> WebSocketSendError? in
                do throws(WebSocketSendError) {
                    let bytes = [UInt8](repeating: 0, count: 1 << 20)
                    while true { try await connection.send(binary: bytes) }
                } catch {
                    return error
                }
            }
            cancelled.cancel()
            #expect(await cancelled.value == .cancelled)
            let report = await connection.close()
            #expect(report.code == 1006)
            #expect(await sending.value != nil)
            finishing.yield()
        }
    }

    @Test("a peer that closed and keeps the transport loses it", arguments: [true, false])
    func lingering(ourSideIsServer: Bool) async throws {
        let closing = frame(8, [0x03, 0xE8], mask: ourSideIsServer ? 5 : nil)
        if ourSideIsServer {
            let limits = WebSocketLimits(closeTimeout: .milliseconds(200))
            try await withServer(limits: limits, serve: WebSocketConnection.echo) { port in
                try await withRawClient(on: port) { peer in
                    try await peer.write(closing)
                    #expect(await peer.readToEnd() == frame(8, [0x03, 0xE8]))
                }
            }
        } else {
            let (ended, ending) = AsyncStream.makeStream(of: [UInt8].self)
            try await withRawServer { peer in
                _ = try await peer.readHead()
                try await peer.write(acceptance().bytes + closing)
                ending.yield(await peer.readToEnd())
            } body: { port in
                let dialer = WebSocketDialer(
                    group: .singletonMultiThreadedEventLoopGroup,
                    limits: WebSocketLimits(closeTimeout: .milliseconds(200)),
                    random: { 0 }
                )
                let connection = try await dialer.open(.local(port))
                #expect(await connection.end()?.code == 1000)
                #expect(await ended.first { _ in true } == frame(8, [0x03, 0xE8], mask: 0))
            }
        }
    }

    @Test("whatever a peer still sends, it gets to read why it was closed")
    func noReset() async throws {
        try await withServer(serve: WebSocketConnection.echo) { port in
            for _ in 0..<20 {
                let answer = try await withRawClient(on: port) { peer in
                    try await peer.write(frame(3, mask: 1))
                    for _ in 0..<50 {
                        try? await peer.write(frame(2, [UInt8](repeating: 0, count: 1000), mask: 1))
                    }
                    return await peer.readToEnd()
                }
                #expect(answer.starts(with: [0x88]))
                #expect(Array(answer.dropFirst(2).prefix(2)) == [0x03, 0xEA])
            }
        }
    }

    @Test(
        "a client's mistake is answered with its code",
        arguments: Violation.all.filter { $0.expectsMask }
    )
    func violations(violation: Violation) async throws {
        try await withServer(
            limits: WebSocketLimits(maximumMessage: 1000, maximumFrame: 1000),
            serve: WebSocketConnection.echo
        ) { port in
            let answer = try await withRawClient(on: port) { peer in
                try await peer.write(violation.bytes)
                return await peer.readToEnd()
            }
            #expect(Array(answer.dropFirst(2).prefix(2)) == [0x03, UInt8(violation.code - 768)])
        }
    }

    @Test(
        "a server's mistake is answered with its code, and reported",
        arguments: Violation.all.filter { !$0.expectsMask }
    )
    func serverViolations(violation: Violation) async throws {
        let limits = WebSocketLimits(maximumMessage: 1000, maximumFrame: 1000)
        let dialer = WebSocketDialer(
            group: .singletonMultiThreadedEventLoopGroup,
            limits: limits,
            random: { 0 }
        )
        let (answers, answering) = AsyncStream.makeStream(of: [UInt8].self)
        try await withRawServer { peer in
            _ = try await peer.readHead()
            try await peer.write(acceptance().bytes + violation.bytes)
            var head = try await peer.read(2)
            while head[0] == 0x8A { head = Array(try await peer.read(6).dropFirst(4)) }
            answering.yield(head + (try await peer.read(6)))
        } body: { port in
            let connection = try await dialer.open(.local(port))
            let report = try #require(await connection.end())
            #expect(report.code == violation.code)
            #expect(report.initiator == .us)
            let answer = try #require(await answers.first { _ in true })
            #expect(answer[0] == 0x88)
            #expect(UInt16(answer[6]) << 8 | UInt16(answer[7]) == violation.code)
        }
    }

    @Test("frames that come together with the request arrive")
    func gluedToTheRequest() async throws {
        try await withServer(serve: WebSocketConnection.echo) { port in
            let glued = frame(1, "early".bytes, mask: 9)
            try await withRawClient(on: port, glued: glued) { peer in
                #expect(try await peer.read(7) == frame(1, "early".bytes))
                try await peer.write(frame(8, mask: 9))
                #expect(await peer.readToEnd() == frame(8))
            }
        }
    }
}
