import Foundation
import TestSupport
import Testing

@Suite("The memory of the program", .programs)
struct SecretMemoryTests {
    /// The number of times that a text is in the memory of a process; `nil` if that cannot be read.
    ///
    /// Only the administrator can: the program forbids it to the user's other programs.
    private static func copies(of tokens: Set<String>, in pid: pid_t) -> [String: Int]? {
        guard let maps = try? String(contentsOfFile: "/proc/\(pid)/maps", encoding: .utf8),
            let memory = FileHandle(forReadingAtPath: "/proc/\(pid)/mem")
        else { return nil }
        defer { try? memory.close() }
        var found: [String: Int] = [:]
        for line in maps.split(separator: "\n") where !line.contains("[v") {
            let words = line.split(separator: " ")
            let bounds = words[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
            guard bounds.count == 2, words[1].hasPrefix("rw"),
                (try? memory.seek(toOffset: bounds[0])) != nil,
                let pages = try? memory.read(upToCount: Int(bounds[1] - bounds[0]))
            else { continue }
            for token in tokens {
                var rest = pages.startIndex..<pages.endIndex
                while let place = pages.range(of: Data(token.utf8), in: rest) {
                    found[token, default: 0] += 1
                    rest = place.upperBound..<pages.endIndex
                }
            }
        }
        return found
    }

    @Test("holds no token that has been spent")
    func spent() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "3s")
            let relay = try bench.relay(to: sandbox)
            let watch = try bench.watch(.voltyks, at: relay.port, "--every", "1s")
            try await eventually("twelve pairs", within: .seconds(120)) {
                TokenHarvest(relay).tokens.count >= 24
            }
            // So that the tokens in use are among those that came.
            let pid = watch.program.pid
            kill(pid, SIGSTOP)
            defer { kill(pid, SIGCONT) }
            let tokens = TokenHarvest(relay).tokens
            guard let found = Self.copies(of: tokens, in: pid) else { return }
            let copies = found.values.reduce(0, +)
            print("\(tokens.count) tokens used, \(found.count) in memory, \(copies) copies")
            // Two are in use, and two more while they are being renewed.
            #expect((1...6).contains(found.count), "\(found)")
            #expect(copies <= 20, "\(found)")
        }
    }

    @Test("holds a password once, and the environment of the process no longer has it")
    func password() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let relay = try bench.relay(to: sandbox)
            let answer = Answers.json(
                200,
                #"{"access_token":"access-1","refresh_token":"refresh-1","expires_in":900}"#
            )
            relay.prepare(.answered(answer), for: Guide.creatist.loginPath)
            let password = "a rather unusual password"
            let name = "AUTHTOP_CREATIST_PASSWORD"
            let credentials = Guide.creatist.credentials.merging([name: password]) { $1 }
            let watch = try bench.watch(.creatist, at: relay.port, credentials: credentials)
            try await watch.stream.first("tokensIssued")
            let request = try #require(relay.requests(to: Guide.creatist.loginPath).first)
            #expect(request.body.contains(password))
            let pid = watch.program.pid
            guard Self.copies(of: [password], in: pid) != nil else { return }
            try await eventually("a single copy") {
                Self.copies(of: [password], in: pid) == [password: 1]
            }
            let environment = try Data(contentsOf: URL(filePath: "/proc/\(pid)/environ"))
            #expect(environment.range(of: Data("\(name)=".utf8)) != nil)
            #expect(environment.range(of: Data(password.utf8)) == nil)
        }
    }
}
