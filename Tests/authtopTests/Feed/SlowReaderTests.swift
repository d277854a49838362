import Foundation
import TestSupport
import Testing

/// `AUTHTOP_STALL_SECONDS`: for how long.
private let stall = ProcessInfo.processInfo.environment["AUTHTOP_STALL_SECONDS"].flatMap { Int($0) }

@Suite(
    "A reader of the events that stops for a while",
    .programs,
    .enabled("AUTHTOP_STALL_SECONDS is not set") { stall != nil }
)
struct SlowReaderTests {
    private static let seconds = stall ?? 5

    /// The memory of a server that keeps the messages meanwhile would be a hundred times as much.
    private static let growthLimit = 16 << 10

    @Test("loses nothing of 10 000 messages a second, and what waits for it does not grow")
    func stops() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox(
                "--access-ttl",
                "1h",
                "--refresh-ttl",
                "2h",
                "--feed-rate",
                "10000",
                "--feed-lag",
                "1000000000"
            )
            let pipe = bench.home + "/pipe"
            try await Program.run("/usr/bin/mkfifo", [pipe])
            let reader = bench.keep(
                try Program("/bin/sh", ["-c", "{ sleep \(Self.seconds); exec cat; } <\(pipe)"])
            )
            let watch = bench.keep(
                try Program(
                    "/bin/sh",
                    [
                        "-c", "exec \"$0\" \"$@\" >\(pipe)", Authtop.path, "watch", "bitbasel",
                        "--base-url", "http://127.0.0.1:\(sandbox.port)/bitbasel", "--json",
                        "--vault", "memory",
                    ],
                    environment: bench.environment.merging(Guide.bitbasel.credentials) { $1 }
                )
            )
            let begin = ContinuousClock.now
            var resident: [Int] = []
            try await eventually("the end of the stall", within: .seconds(Self.seconds + 60)) {
                resident.append(Self.resident(watch.pid))
                try await Task.sleep(for: .milliseconds(100))  // polls
                return ContinuousClock.now - begin >= .seconds(Self.seconds)
            }
            try await eventually("what came meanwhile, and more", within: .seconds(300)) {
                reader.output.lines.count > 20_000
            }
            // Messages that a server sends while it is being left may be dropped.
            await sandbox.program.stop()
            try await watch.interrupt()
            try await reader.ended(within: .seconds(120))

            let stream = EventStream(reader.output)
            let numbers = try stream.appliedMessages
            let gaps = zip(numbers, numbers.dropFirst()).filter { $1 != $0 + 1 }
            #expect(gaps.isEmpty)
            #expect(try stream.all("dropped").isEmpty)
            let settled = resident[resident.count / 2]
            let most = resident.max() ?? 0
            print("stall: \(numbers.count) messages, \(settled) KiB half-way, at most \(most) KiB")
            #expect(most - settled < Self.growthLimit)
        }
    }

    /// The KiB of memory that a process uses.
    private static func resident(_ pid: Int32) -> Int {
        let status = try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }
}
