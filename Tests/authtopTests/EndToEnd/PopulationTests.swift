import Foundation
import TestSupport
import Testing

@Suite("A population: a session for each user of a file", .programs)
struct PopulationTests {
    private static let count = 40

    private static func users(_ count: Int) -> String {
        (1...count).map { "[user-\($0)]\nidentity_token = \"sandbox\"\n" }.joined(separator: "\n")
    }

    private static func watch(
        _ file: String,
        at sandbox: Sandbox,
        on bench: Bench,
        _ arguments: String...
    ) throws -> Watch {
        let program = try bench.authtop(
            [
                "watch", "bitbasel", "--base-url", "http://127.0.0.1:\(sandbox.port)/bitbasel",
                "--json", "--for", "600s", "--users", file,
            ] + arguments
        )
        return Watch(program: program, stream: EventStream(program.output))
    }

    private static func sessions(_ watch: Watch, with kind: String) throws -> Set<String> {
        Set(try watch.stream.all(kind).compactMap { $0.text("session") })
    }

    @Test("each user logs in once, and is resumed by the next run")
    func resumed() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let file = try bench.writePrivately(Self.users(Self.count), to: "users.toml")
            for place in ["4", "64"] {
                let watch = try Self.watch(file, at: sandbox, on: bench, "--max-inflight", place)
                try await eventually("each session") {
                    try Self.sessions(watch, with: "tokensIssued").count == Self.count
                }
                watch.program.send(SIGTERM)
                #expect(try await watch.program.ended() == .exit(128 + SIGTERM))
            }
            let report = try await sandbox.report()
            let counters = try #require(report.counters(of: .bitbasel))
            #expect(counters.logins == Self.count)
            #expect(counters.refreshes == 0)
        }
    }

    @Test("each session is renewed in its turn, and no token is used twice")
    func renewed() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10s")
            let file = try bench.writePrivately(Self.users(Self.count), to: "users.toml")
            let watch = try Self.watch(
                file,
                at: sandbox,
                on: bench,
                "--max-inflight",
                "2",
                "--vault",
                "memory"
            )
            try await eventually("two renewals of each session") {
                let renewed = try watch.stream.all("refreshSucceeded")
                    .compactMap { $0.text("session") }
                return Dictionary(grouping: renewed) { $0 }.values.count { $0.count > 1 }
                    == Self.count
            }
            let report = try await sandbox.report()
            let counters = try #require(report.counters(of: .bitbasel))
            #expect(counters.reuses == 0)
            #expect(counters.refreshesRefused.isEmpty)
            #expect(try watch.stream.all("signedOut").isEmpty)
        }
    }

    @Test("a second run of the same users is refused, and takes over once the first was killed")
    func lease() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let file = try bench.writePrivately(Self.users(Self.count), to: "users.toml")
            let first = try Self.watch(file, at: sandbox, on: bench)
            try await eventually("each session") {
                try Self.sessions(first, with: "tokensIssued").count == Self.count
            }
            let refused = try Self.watch(file, at: sandbox, on: bench, "--shard", "1/2")
            #expect(try await refused.program.ended() == .exit(3))
            let errors = refused.program.errors.text
            #expect(errors.contains("has these sessions until"), "\(errors)")
            first.program.send(SIGKILL)
            _ = try await first.program.ended()
            // Its lease is not over: a lock shows that it is gone.
            let second = try Self.watch(file, at: sandbox, on: bench)
            try await eventually("each session again") {
                try Self.sessions(second, with: "tokensIssued").count == Self.count
            }
            let report = try await sandbox.report()
            #expect(try #require(report.counters(of: .bitbasel)).logins == Self.count)
        }
    }

    @Test("a run that is killed among renewals signs no user out, and the next one renews in turns")
    func restarted() async throws {
        try await withBench { bench in
            // Each renewal takes a while, so that some are in progress at the kill.
            let sandbox = try await bench.sandbox(
                "--access-ttl",
                "20s",
                "--reuse",
                "grace:seconds=120",
                "--faults",
                "delay:refresh:seconds=0.1"
            )
            let file = try bench.writePrivately(Self.users(Self.count), to: "users.toml")
            let first = try Self.watch(file, at: sandbox, on: bench, "--max-inflight", "4")
            try await eventually("each session, and some renewals") {
                try Self.sessions(first, with: "tokensIssued").count == Self.count
                    && Self.sessions(first, with: "refreshSucceeded").count > Self.count / 4
            }
            first.program.send(SIGKILL)
            _ = try await first.program.ended()
            let second = try Self.watch(file, at: sandbox, on: bench, "--max-inflight", "4")
            try await eventually("a renewal of each session") {
                try Self.sessions(second, with: "refreshSucceeded").count == Self.count
            }
            #expect(try Self.renewalsAtOnce(second) == 4)
            for watch in [first, second] {
                #expect(try watch.stream.all("signedOut").isEmpty)
            }
            let report = try await sandbox.report()
            #expect(try #require(report.counters(of: .bitbasel)).logins == Self.count)
            #expect(report.sessions(of: .bitbasel).allSatisfy { $0.ended == nil })
        }
    }

    /// The most renewals of a run that were in progress at a time.
    private static func renewalsAtOnce(_ watch: Watch) throws -> Int {
        var flying: Set<String> = []
        var most = 0
        for event in try watch.stream.events {
            guard let session = event.text("session") else { continue }
            switch event.kind {
            case "refreshStarted": flying.insert(session)
            case "refreshSucceeded", "refreshFailed": flying.remove(session)
            default: break
            }
            most = max(most, flying.count)
        }
        return most
    }

    @Test("two shards have each user once, between them")
    func shards() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let file = try bench.writePrivately(Self.users(Self.count), to: "users.toml")
            let shards = try (1...2).map { number in
                try Self.watch(
                    file,
                    at: sandbox,
                    on: bench,
                    "--shard",
                    "\(number)/2",
                    "--vault",
                    "memory"
                )
            }
            try await eventually("all sessions") {
                try shards.map { try Self.sessions($0, with: "tokensIssued").count }
                    .reduce(0, +) == Self.count
            }
            let sessions = try shards.map { try Self.sessions($0, with: "tokensIssued") }
            #expect(sessions[0].isDisjoint(with: sessions[1]))
            #expect(sessions.allSatisfy { !$0.isEmpty })
        }
    }

    @Test("a long run needs no more memory and no more open files than a short one")
    func soak() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "3s")
            let file = try bench.writePrivately(Self.users(20), to: "users.toml")
            let watch = try Self.watch(
                file,
                at: sandbox,
                on: bench,
                "--max-inflight",
                "8",
                "--vault",
                "memory"
            )
            var used: [(memory: Int, files: Int)] = []
            for renewals in [100, 400] {
                try await eventually("\(renewals) renewals") {
                    try watch.stream.all("refreshSucceeded").count >= renewals
                }
                used.append(
                    (
                        try Self.status("VmRSS", of: watch.program),
                        try Self.status("FDSize", of: watch.program)
                    )
                )
            }
            #expect(used[1].memory - used[0].memory < 16 * 1_024, "\(used)")
            #expect(used[1].files <= used[0].files, "\(used)")
            #expect(try watch.stream.all("signedOut").isEmpty)
        }
    }

    /// A number of `/proc/PID/status`, which also the owner of a process may read that is protected.
    private static func status(_ name: String, of program: Program) throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(program.pid)/status", encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix("\(name):") }
        let number = line?.split(whereSeparator: \.isWhitespace).dropFirst().first
        return try #require(number.flatMap { Int($0) })
    }

    @Test(
        "a run that cannot write its claim renews nothing, and says why, until it can",
        .enabled("mounting is not permitted") { await SmallDisk.isPossible }
    )
    func unwritten() async throws {
        try await withBench { bench in
            let disk = bench.keep(try await SmallDisk(at: "\(bench.home)/state"))
            let sandbox = try await bench.sandbox("--access-ttl", "15s")
            let file = try bench.writePrivately(Self.users(2), to: "users.toml")
            let watch = try Self.watch(file, at: sandbox, on: bench)
            try await eventually("renewals") {
                try Self.sessions(watch, with: "refreshSucceeded").count == 2
            }
            try await disk.fill()
            let failed = try await eventually("a renewal that does not begin") {
                try watch.stream.all("refreshFailed")
                    .first { $0.text("message")?.contains("/owners: ") == true }
            }
            #expect(failed.text("cause") == "vaultFull")
            #expect(failed.text("message")?.contains(SmallDisk.message) == true)
            let causes = try watch.stream.all("refreshFailed").map { $0.text("cause") }
            #expect(!causes.contains("lockHeld"))
            try disk.makeRoom()
            try await watch.stream.first("refreshSucceeded", after: failed)
            #expect(try watch.stream.all("signedOut").isEmpty)
            #expect(try #require(try await sandbox.report().counters(of: .bitbasel)).logins == 2)
        }
    }

    @Test("a file that others can read, a mistake in it, and wrong options are bad input")
    func mistakes() async throws {
        try await withBench { bench in
            let open = try bench.write(Self.users(1), to: "open.toml")
            let wrong = try bench.writePrivately("[a]\npassword = \"x\"\n", to: "wrong.toml")
            let right = try bench.writePrivately(Self.users(1), to: "right.toml")
            let foreign = try bench.writePrivately("", to: "foreign.toml")
            let latin = Data("[a]\nidentity_token = \"p".utf8) + [0xE4] + Data("ss\"\n".utf8)
            try latin.write(to: URL(fileURLWithPath: foreign))
            let url = ["--base-url", "http://127.0.0.1:1/bitbasel"]
            let cases: [([String], String)] = [
                (["--users", open], "open.toml: others can read it; run: chmod 600"),
                (["--users", wrong], "wrong.toml:2: a.password: unknown key \"password\""),
                (["--users", foreign], "foreign.toml: not in UTF-8"),
                (["--users", "\(bench.home)/none.toml"], "none.toml: No such file"),
                (["--users", right, "--shard", "3/2"], "--shard"),
                (["--shard", "1/2"], "--shard is for a population"),
                (["--users", right, "--max-inflight", "0"], "--max-inflight 0: expected 1 to"),
                (["--users", right, "--import", "-"], "--import is for one session"),
                (["--users", right, "melchat"], "--users is for one profile"),
            ]
            for (arguments, message) in cases {
                let program = try bench.authtop(["watch", "bitbasel", "--json"] + url + arguments)
                #expect(try await program.ended() == .exit(2), "\(arguments)")
                #expect(program.errors.text.contains(message), "\(program.errors.text)")
            }
        }
    }
}
