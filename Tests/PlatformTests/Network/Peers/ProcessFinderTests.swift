import Foundation
import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import Platform

@Suite("The processes behind connections")
struct ProcessFinderTests {
    /// A folder as Linux's `/proc`, in which 127.0.0.1:41000 is connected to 127.0.0.1:9000.
    private final class Machine {
        static let connected = """
              sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
               0: 0100007F:2328 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 100 1
               1: 0100007F:A028 0100007F:2328 01 00000000:00000000 00:00000000 00000000  1000        0 4711 1
               2: 0100007F:2328 0100007F:A028 01 00000000:00000000 00:00000000 00000000     0        0 4712 1
               3: 0100007F:A029 0100007F:2328 06 00000000:00000000 00:00000000 00000000     0        0 0 1
            """
        let root = FileManager.default.temporaryDirectory
            .appendingPathComponent("authtop-proc-\(UUID().uuidString)").path

        init() throws {
            try write(Self.connected, to: "net/tcp")
            try write(
                """
                  sl  local_address                         remote_address                        st
                   0: 00000000000000000000000001000000:1F90 00000000000000000000000000000000:0000 0A 0:0 00:0 0 0 0 200
                   1: 0000000000000000FFFF00000100007F:A030 0000000000000000FFFF00000100007F:2328 01 0:0 00:0 0 0 0 4713
                """,
                to: "net/tcp6"
            )
        }

        deinit { try? FileManager.default.removeItem(atPath: root) }

        func write(_ text: String, to path: String) throws {
            let file = "\(root)/\(path)"
            try FileManager.default.createDirectory(
                atPath: String(file.prefix(upTo: file.lastIndex(of: "/") ?? file.endIndex)),
                withIntermediateDirectories: true
            )
            try text.write(toFile: file, atomically: true, encoding: .utf8)
        }

        /// Adds a process with its arguments and open sockets.
        func add(
            _ id: Int,
            _ arguments: [String],
            parent: Int = 1,
            state: String = "S",
            sockets: [Int] = []
        ) throws {
            try write(arguments.map { $0 + "\0" }.joined(), to: "\(id)/cmdline")
            let rest = Array(repeating: "0", count: 17).joined(separator: " ")
            try write("\(id) (a) b) \(state) \(parent) \(rest) 5\(id) 0", to: "\(id)/stat")
            try FileManager.default.createDirectory(
                atPath: "\(root)/\(id)/fd",
                withIntermediateDirectories: true
            )
            for socket in sockets {
                try FileManager.default.createSymbolicLink(
                    atPath: "\(root)/\(id)/fd/\(socket)",
                    withDestinationPath: "socket:[\(socket)]"
                )
            }
        }

        var finder: ProcessFinder { ProcessFinder(root: root, ownID: 50) }

        func process(from port: Int = 41_000) -> FoundProcess? {
            var finder = finder
            return finder.process(
                from: ("127.0.0.1", port),
                to: ("127.0.0.1", 9_000),
                in: SocketTable(under: root)
            )
        }
    }

    @Test("is the one that has the other end of the connection open")
    func holder() throws {
        let machine = try Machine()
        try machine.add(60, ["/usr/bin/server"], sockets: [4_712])
        try machine.add(70, ["/usr/bin/curl", "-H", "Authorization: x"], sockets: [9, 4_711])
        let found = try #require(machine.process())
        #expect(found.name == "curl" && found.id == 70)
        #expect(machine.finder.isRunning(found))
        try machine.add(70, ["/usr/bin/curl"], state: "Z")
        #expect(!machine.finder.isRunning(found))
    }

    @Test("is found where it uses IPv6 for an address of IPv4, as Java does")
    func mapped() throws {
        let machine = try Machine()
        try machine.add(70, ["java", "-jar", "app.jar"], sockets: [4_713])
        #expect(machine.process(from: 0xA030)?.name == "java")
    }

    @Test("is none where the connection has ended, has no process, or is our own")
    func none() throws {
        let machine = try Machine()
        #expect(machine.process() == nil)
        #expect(machine.process(from: 0xA029) == nil)
        try machine.add(50, ["authtop"], sockets: [4_711])
        #expect(machine.process() == nil)
    }

    @Test(
        "is the first of those that a program has forked, and no other program that has started it"
    )
    func workers() throws {
        let machine = try Machine()
        try machine.add(60, ["sh", "-c", "gunicorn app"])
        try machine.add(70, ["gunicorn: master [app]"], parent: 60)
        try machine.add(71, ["gunicorn: worker [app]"], parent: 70, sockets: [4_711])
        #expect(machine.process() == machine.finder.process(id: 70, named: "gunicorn"))
    }

    @Test(
        "is the program that has opened the connection, and none that has inherited it from there",
        arguments: [[4_711], []]
    )
    func inherited(sockets: [Int]) throws {
        let machine = try Machine()
        try machine.add(60, ["git", "fetch"])
        try machine.add(70, ["git-remote-https", "origin"], parent: 60, sockets: [4_711])
        try machine.add(71, ["sh", "-c", "helper get"], parent: 70, sockets: sockets)
        try machine.add(72, ["helper", "get"], parent: 71, sockets: [4_711])
        #expect(machine.process() == machine.finder.process(id: 70, named: "git-remote-https"))
    }

    @Test("is looked for among the newest first, also once their numbers have begun again")
    func order() throws {
        let machine = try Machine()
        for id in [1, 60, 70, 32_000, 32_700] { try machine.add(id, ["curl"]) }
        #expect(machine.finder.processes == [32_700, 32_000, 70, 60, 1])
        try machine.write("8.46 8.90 7.14 3/170 71\n", to: "loadavg")
        #expect(machine.finder.processes == [70, 60, 1, 32_700, 32_000])
    }

    @Test(
        "is named by its program or script, and by no argument that may be a secret",
        arguments: [
            (["/usr/bin/python3.11", "/app/worker.py", "secret"], "worker.py"),
            (["python3", "-m", "app"], "python3"), (["node", "server.js"], "server.js"),
            (["/opt/my-cli", "tokenabc"], "my-cli"), (["npm start"], "npm"),
            (["sh", "-c", "curl -H 'Authorization: x'"], "sh"),
            (["python3", String(repeating: "a", count: 60)], "python3"),
            (["nodejs", "eyJhbGciOi"], "nodejs"), (["deno", "run", "-A", "app.ts"], "deno"),
            (["bun", "/app/server.ts"], "server.ts"),
        ]
    )
    func names(arguments: [String], name: String) {
        let line = arguments.map { $0 + "\0" }.joined()
        #expect(ProgramName(line)?.text == name)
    }

    @Test("the user of a connection's program, and none where the connection has ended")
    func users() throws {
        let machine = try Machine()
        let table = withExtendedLifetime(machine) { SocketTable(under: machine.root) }
        let own = (host: "127.0.0.1", port: 9_000)
        #expect(table.user(from: ("127.0.0.1", 41_000), to: own) == 1_000)
        #expect(table.user(from: ("127.0.0.1", 41_001), to: own) == nil)
        #expect(table.user(from: ("127.0.0.1", 41_002), to: own) == nil)
        #expect(table.user(from: ("127.0.0.2", 41_000), to: own) == nil)
    }

    @Test(
        "the kernel, where it can be asked for a connection, says what its lists do",
        .enabled(if: SocketQuestion.isAnswered, "this kernel does not answer such questions"),
        arguments: [("127.0.0.1", "127.0.0.1"), ("::1", "::1"), ("::", "::ffff:127.0.0.1")]
    )
    func asked(server: String, client: String) async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        let listener = try await ServerBootstrap(group: group).bind(host: server, port: 0).get()
        let port = try #require(listener.localAddress?.port)
        let connection = try await ClientBootstrap(group: group).connect(host: client, port: port)
            .get()
        let local = try #require(Self.end(connection.localAddress))
        let remote = try #require(Self.end(connection.remoteAddress))
        let question = SocketQuestion(local: local, remote: remote)
        let owner = try #require(question.answer)
        #expect(owner == SocketTable(under: "/proc").owner(at: local, to: remote))
        #expect(owner.user == getuid())
        let other = SocketTable.End(host: "127.0.0.2", port: 1)
        #expect(SocketQuestion(local: local, remote: try #require(other)).answer == nil)
        #expect(SocketQuestion(local: remote, remote: try #require(other)).answer == nil)
        try await connection.close()
        // A process that another test starts has the socket, too, until it is another program.
        try await eventually("the end of the socket") { question.answer == nil }
        try await listener.close()
    }

    private static func end(_ address: SocketAddress?) -> SocketTable.End? {
        address.flatMap { address in
            SocketTable.End(host: address.ipAddress ?? "", port: address.port ?? 0)
        }
    }

    @Test("the ports at which programs listen, of either family")
    func listening() throws {
        let machine = try Machine()
        #expect(SocketTable(under: machine.root).listeningPorts == [8_080, 9_000])
    }
}

extension ProcessFinder {
    fileprivate func process(id: Int, named name: String) -> FoundProcess {
        FoundProcess(id: id, startedAt: UInt64("5\(id)") ?? 0, name: name)
    }
}
