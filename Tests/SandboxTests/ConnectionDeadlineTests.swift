import HTTP
import NIOCore
import NIOPosix
import Profiles
import Testing

@testable import Sandbox

@Suite("Sandbox: clients that keep it waiting")
struct ConnectionDeadlineTests {
    /// Everything that may be sent without a request becoming whole.
    @Test(
        "are cut off: before, within and after a request",
        arguments: [
            "", "GET / HTTP/1.1\r\nHost: local",
            "POST /__sandbox/faults HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{",
            "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: localhost\r\n\r\nGET / HTTP/1.1\r\nHost: local",
        ]
    )
    func cutOff(sent: String) async throws {
        var configuration = SandboxConfiguration()
        configuration.limits = ConnectionLimits(head: 5, body: 1, answer: 20, idle: 1)
        try await withSandbox(configuration) { sandbox in
            // Ends only when the server closes.
            let answer = try await sandbox.stay(after: sent)
            let isWhole = sent.contains("\r\n\r\n") && sent.hasPrefix("GET")
            #expect(answer.hasPrefix("HTTP/1.1 200 ") == isWhole)
        }
    }

    @Test("are not cut off while the sandbox takes its time, nor on a feed")
    func ownTime() async throws {
        var configuration = SandboxConfiguration()
        configuration.limits = ConnectionLimits(head: 3, body: 3, answer: 3, idle: 30)
        try await withSandbox(configuration) { sandbox in
            let order = #"{"on": "delay:seconds=5:protected"}"#
            #expect(try await sandbox.order(order).status == 200)
            let dialect = try dialect("bitbasel")
            let tokens = try await sandbox.login(dialect)
            let feed = try await sandbox.open(
                dialect.feedRequest(tokens.access, since: nil),
                under: "/bitbasel"
            )
            #expect(try await sandbox.opens(dialect, tokens.access) == .accepted)
            // At ten a second, some of them after the limits.
            try await feed.read(until: 40)
            await feed.connection.close()
        }
    }

    @Test("are served in their turn where there are more than it takes at once")
    func connections() async throws {
        var configuration = SandboxConfiguration()
        configuration.limits = ConnectionLimits(head: 1, connections: 4)
        try await withSandbox(configuration) { sandbox in
            try await withThrowingTaskGroup { group in
                for _ in 1...8 { group.addTask { try await sandbox.stay(after: "") } }
                for try await answer in group { #expect(answer.isEmpty) }
            }
            #expect(try await sandbox.get("/").status == 200)
        }
    }
}

extension RunningSandbox {
    /// Sends bytes, keeps our half open, and collects what comes until the server closes.
    fileprivate func stay(after text: String) async throws -> String {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                        wrappingChannelSynchronously: channel
                    )
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            var answer = ByteBuffer()
            do {
                try await outbound.write(ByteBuffer(string: text))
                for try await var part in inbound { answer.writeBuffer(&part) }
            } catch  where error is IOError || error is ChannelError {
                // A reset is an end too, also one before all was written.
            }
            return String(buffer: answer)
        }
    }
}
