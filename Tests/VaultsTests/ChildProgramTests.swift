import Foundation
import Glibc
import Testing
import Timekeeping

@testable import Vaults

@Suite("A program that is run to its end")
struct ChildProgramTests {
    @Test("gets its three streams, and nothing else that is open here", arguments: [true, false])
    func streamsOnly(hasTerminal: Bool) throws {
        // As a socket of whoever does not close it on exec.
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
        #expect(Self.living(in: group) >= 4)
        time.advance(by: ChildProgram.timeout)
        #expect(try await result.ending == .tookTooLong)
        // What is killed by force is gone a moment later.
        let limit = ContinuousClock.now + .seconds(30)
        while Self.living(in: group) > 0, ContinuousClock.now < limit {
            try await Task.sleep(for: .milliseconds(10))  // polls
        }
        #expect(Self.living(in: group) == 0)
    }

    /// How many processes of a group have not ended.
    private static func living(in group: Int32) -> Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.filter { Int32($0) != nil }.count { name in
            guard let stat = try? String(contentsOfFile: "/proc/\(name)/stat", encoding: .utf8)
            else { return false }
            // After the name, which may hold anything: the state, the parent, the group.
            let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
            return fields.count > 2 && fields[0] != "Z" && Int32(fields[2]) == group
        }
    }
}
