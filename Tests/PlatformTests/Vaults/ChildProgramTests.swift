import Foundation
import Glibc
import TestSupport
import Testing

@testable import Basics
@testable import Platform

@Suite("A program that is run to its end")
struct ChildProgramTests {
    @Test("gets its three streams, and nothing else that is open here", arguments: [true, false])
    func streamsOnly(hasTerminal: Bool) throws {
        // As a socket of a program that does not close it on exec.
        let number = open("/dev/null", O_RDONLY)
        defer { close(number) }
        #expect(fcntl(number, F_GETFD) == 0)
        let program = try #require(
            ChildProgram(
                "/bin/sh",
                variables: ["PATH": "/usr/bin:/bin"],
                hasTerminal: hasTerminal,
                outputLimit: 1_000,
                time: VirtualTimekeeper()
            )
        )
        let result = try program.run(["-c", "for n in /proc/$$/fd/*; do echo ${n##*/}; done"])
        let numbers = String(decoding: result.output, as: UTF8.self)
            .split(separator: "\n").compactMap { Int($0) }
        #expect(numbers.filter { $0 < 3 } == [0, 1, 2])
        #expect(!numbers.contains(Int(number)), "\(numbers)")
    }

    @Test("gets no credential, of no profile, in its environment, but what it is given")
    func environment() throws {
        let credentials = [
            "AUTHTOP_ACME_PASSWORD": "hunter2", "AUTHTOP_OTHER_CLIENT_SECRET": "s3cr3t",
            "AUTHTOP_TOKEN": "t0k3n",
        ]
        let rest = [
            "PATH": "/usr/bin:/bin", "AUTHTOP_PROXY_URL": "http://127.0.0.1:8080",
            "AUTHTOPIC": "mine", "ACME_PASSWORD": "the program's own",
        ]
        let program = try #require(
            ChildProgram(
                "/usr/bin/env",
                variables: credentials.merging(rest) { $1 },
                hasTerminal: false,
                outputLimit: 10_000,
                time: VirtualTimekeeper()
            )
        )
        let lines = String(decoding: try program.run([]).output, as: UTF8.self)
            .split(separator: "\n").map(String.init)
        #expect(lines.sorted() == rest.map { "\($0)=\($1)" }.sorted())
        let given = ChildSpawn.environment(credentials, ["AUTHTOP_TOKEN": "for it"])
        #expect(given == ["AUTHTOP_TOKEN": "for it"])
    }

    @Test(
        "ends with everything that it has started when its time is over, whatever that ignores",
        arguments: [true, false]
    )
    func timeIsOver(hasTerminal: Bool) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let time = VirtualTimekeeper()
        let program = try #require(
            ChildProgram(
                "/bin/sh",
                variables: ["PATH": "/usr/bin:/bin"],
                hasTerminal: hasTerminal,
                outputLimit: 1_000,
                time: time
            )
        )
        let script = """
            sleep 300 &
            (trap '' TERM HUP INT; sleep 300; sleep 300) &
            sh -c 'sh -c "sleep 300; true"; true' &
            echo $$ >\(folder.path)/new && mv \(folder.path)/new \(folder.path)/group
            wait
            """
        async let result = program.runAside(["-c", script])
        let file = folder.appending(path: "group").path
        while !FileManager.default.fileExists(atPath: file) {
            try await Task.sleep(for: .milliseconds(10))  // polls
        }
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let group = try #require(Int32(text.filter(\.isNumber)))
        #expect(processCount(inGroup: group) >= 4)
        time.advance(by: ChildProgram.timeout)
        #expect(try await result.ending == .tookTooLong)
        // A program that is killed by force is gone a moment later.
        let limit = ContinuousClock.now + .seconds(30)
        while processCount(inGroup: group) > 0, ContinuousClock.now < limit {
            try await Task.sleep(for: .milliseconds(10))  // polls
        }
        #expect(processCount(inGroup: group) == 0)
    }
}
