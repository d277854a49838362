import Foundation
import TestSupport
import Testing

@Suite("authtop status", .programs)
struct StatusCommandTests {
    @Test(
        "tells of a live session, sends nothing, and fits a narrow terminal",
        arguments: Guide.allCases
    )
    func alive(guide: Guide) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let relay = try bench.relay(to: sandbox)
            let login = try await bench.logIn(guide, at: relay.port)
            let requests = relay.requests.count
            let status = try await bench.operation("status", guide, at: relay.port)
            #expect(status.ending == .exit(0), "\(status.errors.text)")
            #expect(status.output.lines.first == "\(guide.rawValue): logged in")
            let access = try #require(login.output.text.firstMatch(of: /access +(‹\w+›)/)?.output.1)
            #expect(status.output.text.contains(access))
            let long = status.output.lines.filter { $0.count > 80 && !$0.contains(bench.home) }
            #expect(long == [])
            #expect(relay.requests.count == requests)
        }
    }

    @Test("in a form has the fields of a session of this machine, and none after a logout")
    func form() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            _ = try await bench.logIn(.voltyks, at: sandbox.port)
            func status(_ form: String) async throws -> Program {
                try await bench.operation("status", .voltyks, at: sandbox.port, "--format", form)
            }
            let live = try await status("{name} is {state}: {left}")
            #expect(live.ending == .exit(0), "\(live.errors.text)")
            #expect(live.output.text.wholeMatch(of: /voltyks is live: [0-9].*/) != nil)
            let mistake = try await status("{lft}")
            #expect(mistake.ending == .exit(2))
            #expect(mistake.errors.text.contains("did you mean left?"))
            _ = try await bench.operation("logout", .voltyks, at: sandbox.port)
            let ended = try await status("{name} {state} {left}")
            #expect(ended.ending == .exit(1))
            #expect(ended.output.lines == ["voltyks ended ended"])
        }
    }

    @Test("as JSON is one flat object with the seconds that are left and their sources")
    func json() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            _ = try await bench.logIn(.bitbasel, at: sandbox.port)
            let status = try await bench.operation("status", .bitbasel, at: sandbox.port, "--json")
            #expect(status.output.lines.count == 1)
            let object = try JSON.object(in: status.output.text)
            #expect(object["state"]?.text == "fresh")
            #expect(object["generation"]?.number == 1)
            let refreshAt = try #require(object["secondsToRefreshAt"]?.number)
            let usableUntil = try #require(object["secondsToUsableUntil"]?.number)
            let end = try #require(object["secondsToRefreshExpiry"]?.number)
            #expect(refreshAt > 0 && refreshAt < usableUntil && usableUntil <= 600)
            #expect(end > 0 && end <= 300)
            #expect(object["accessSource"]?.text == "JWT exp − iat")
            #expect(object["refreshSource"]?.text == "JWT exp − iat")
            #expect(object["outbox"]?.number == 0)
            let folder = bench.home + "/state/authtop/"
            #expect(object["key"]?.text == folder + "key")
            let record = try #require(object["record"]?.text)
            #expect(record.hasPrefix(folder) && FileManager.default.fileExists(atPath: record))
            #expect(object["statisticsFile"] == nil)
            #expect(object["logs"] == .list([]))
        }
    }

    @Test("has what the last run of watch counted")
    func statistics() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "9s")
            let watch = try bench.watch(.voltyks, at: sandbox.port, "--vault", "file")
            let first = try await watch.stream.first("refreshSucceeded")
            try await watch.stream.first("refreshSucceeded", after: first)
            // It is counted beside the output, and the end does not wait for that.
            try await eventually("the count of both") {
                try bench.counted.contains { ($0["renewed"]?.number ?? 0) >= 2 }
            }
            watch.program.send(SIGTERM)
            try await watch.program.ended()
            let renewed = try watch.stream.all("refreshSucceeded").count
            let status = try await bench.operation("status", .voltyks, at: sandbox.port, "--json")
            let object = try JSON.object(in: status.output.text)
            #expect(object["renewed"]?.number == Double(renewed))
            #expect(object["leadLeftLeast"]?.number != nil)
            // Another session has a count of its own.
            _ = try await bench.operation("logout", .voltyks, at: sandbox.port)
            _ = try await bench.logIn(.voltyks, at: sandbox.port)
            let next = try await bench.operation("status", .voltyks, at: sandbox.port, "--json")
            #expect(try JSON.object(in: next.output.text)["renewed"] == nil)
        }
    }

    @Test("is 1 where the session is signed out, and 3 where the vault cannot be read")
    func notAlive() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let nobody = try await bench.operation("status", .voltyks, at: sandbox.port)
            #expect(nobody.ending == .exit(1))
            #expect(nobody.output.lines.first == "voltyks: signed out")
            _ = try await bench.logIn(.voltyks, at: sandbox.port)
            let folder = bench.home + "/state/authtop"
            let record = try #require(
                try FileManager.default.contentsOfDirectory(atPath: folder)
                    .first { $0.hasSuffix(".vault") }
            )
            try Data("not a record".utf8).write(to: URL(filePath: "\(folder)/\(record)"))
            let status = try await bench.operation("status", .voltyks, at: sandbox.port, "--json")
            #expect(status.ending == .exit(3))
            #expect(try JSON.object(in: status.output.text)["state"]?.text == "vaultUnavailable")
        }
    }
}
