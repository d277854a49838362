import FoundationEssentials
import Model
import Profiles
import Testing

@testable import Basics
@testable import Observer

@Suite("A lifetime that is stated in milliseconds")
struct LifetimeUnitTests {
    @Test(
        "is suspected where a token is refused at the age that it would have then",
        arguments: [
            (6_000.0, 7.0, true), (12_000, 13, true), (3_600, 7, false), (6_000, 60, false),
        ]
    )
    func refused(life: Double, age: Double, isSuspected: Bool) throws {
        var script = TrafficScript()
        script.logIn(life: life)
        script.wait(2)
        script.call(1)
        script.wait(age - 2)
        script.call(1, "/items", 401)
        script.renew(1, life: life)
        script.call(2)
        let run = ObservationRun(script)
        let found = run.findings.first { $0.rule == "early-death" }
        let finding = try #require(found, "\(run.summary)")
        #expect(finding.message.contains("in milliseconds") == isSuspected, "\(finding.message)")
    }

    @Test("is suspected where another source states a thousandth", arguments: [300_000.0, 3_600])
    func mismatch(life: Double) throws {
        var script = TrafficScript()
        let login = script.send("POST", "/login", json: ["password": "correct"])
        let claims: JSONValue = ["sub": "7", "iat": 1_763_733_600, "exp": 1_763_733_900]
        let answer: JSONValue = [
            "access_token": .string(TrafficScript.webToken(claims)), "expires_in": .number(life),
        ]
        script.finish(login, 200, answer)
        let run = ObservationRun(script)
        let finding = try #require(run.findings.first { $0.rule == "expiry-disagrees" })
        #expect(finding.message.contains("in milliseconds") == (life == 300_000))
    }
}

@Suite("A lifetime whose name states no unit")
struct AssumedUnitTests {
    @Test(
        "is read as seconds, and said to be",
        arguments: [
            ("ttl", ExpirySource.assumedUnit), ("validity", .assumedUnit),
            ("expires", .assumedUnit),
            ("expires_in", .lifetime), ("validityInSeconds", .lifetime),
            ("expires_in_ms", .lifetime),
        ]
    )
    func source(name: String, source: ExpirySource) throws {
        var script = TrafficScript()
        let login = script.send("POST", "/login", json: ["password": "correct"])
        let life = name.hasSuffix("ms") ? 300_000 : 300
        let answer: JSONValue = [
            "access_token": .string(TrafficScript.access(1)), name: .integer(Int64(life)),
        ]
        script.finish(login, 200, answer)
        let run = ObservationRun(script)
        let pair = run.events.lazy.compactMap { ($0.kind as? TokensIssued)?.pair }.first
        let expiry = try #require(pair?.accessExpiry?.expiry)
        #expect(expiry.source == source && expiry.seconds == 300)
        #expect(ExpirySource.assumedUnit.rawValue == "lifetime, read as seconds")
    }

    @Test(
        "has the unit that its token tells",
        arguments: [("expires", 300_000, 300.0), ("ttl", 5, 300), ("validity", 300, 300)]
    )
    func unitOfToken(name: String, number: Int, seconds: Double) throws {
        var script = TrafficScript()
        let login = script.send("POST", "/login", json: ["password": "correct"])
        let start = Int64(script.now.wall.timeIntervalSince1970)
        let token = TrafficScript.webToken(["iat": .integer(start), "exp": .integer(start + 300)])
        script.finish(
            login,
            200,
            ["access_token": .string(token), name: .integer(Int64(number))]
        )
        let run = ObservationRun(script)
        let pair = run.events.lazy.compactMap { ($0.kind as? TokensIssued)?.pair }.first
        let expiry = try #require(pair?.accessExpiry?.expiry)
        #expect(expiry.source == .lifetime && expiry.seconds == seconds)
        #expect(run.findings.isEmpty, "\(run.summary)")
    }
}
