import Foundation
import TestSupport
import Testing

@Suite("Secrets in the memory of the program", .programs)
struct SecretMemoryTests {
    /// How often a text is in the memory of a process; `nil` if that cannot be read.
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

    @Test("holds no token that has been spent, but in memory that was freed and not used again")
    func spent() async throws {
        // The allocator wipes what is freed.
        let wiping = "glibc.malloc.perturb=85:glibc.malloc.tcache_count=0"
        for tunables in ["", wiping] {
            try await withBench { bench in
                let sandbox = try await bench.sandbox("--access-ttl", "3s")
                let relay = try bench.relay(to: sandbox)
                let base = "http://127.0.0.1:\(relay.port)/voltyks"
                let watch = try bench.authtop(
                    ["watch", "voltyks", "--base-url", base, "--vault", "memory", "--json"]
                        + ["--every", "1s"],
                    with: Guide.voltyks.credentials.merging(["GLIBC_TUNABLES": tunables]) { $1 }
                )
                let tokens = try await eventually("twelve pairs", within: .seconds(120)) {
                    let tokens = TokenHarvest(relay).tokens
                    return tokens.count >= 24 ? tokens : nil
                }
                guard let found = Self.copies(of: tokens, in: watch.pid) else { return }
                print(
                    tunables.isEmpty ? "" : "wiping allocator:",
                    tokens.count,
                    "tokens used,",
                    found.count,
                    "in memory,",
                    found.values.reduce(0, +),
                    "copies"
                )
                if tunables == wiping { #expect(found.count <= tokens.count / 3, "\(found.count)") }
            }
        }
    }
}
