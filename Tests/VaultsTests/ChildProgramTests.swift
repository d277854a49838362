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
}
