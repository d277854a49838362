import Backend
import FoundationEssentials
import Model
import Profiles
import Testing

@testable import Basics
@testable import Sandbox

@Suite("Sandbox: switching faults")
struct FaultSwitchingTests {
    @Test("all are listed, with what they do, how they are set, and how often they have acted")
    func list() async throws {
        try await withSandbox { sandbox in
            let response = try await sandbox.get("/__sandbox/faults")
            let listed = try #require(JSONValue(parsing: response.body)?.value(at: "faults"))
            guard case .array(let faults) = listed else { throw Unexpected("no list") }
            #expect(faults.map { $0.value(at: "name")?.stringValue } == Fault.ofBackend.map(\.name))
            #expect(faults.allSatisfy { $0.value(at: "state") == .string("off") })
            #expect(faults.allSatisfy { $0.value(at: "fired") == .integer(0) })
            #expect(faults.allSatisfy { $0.value(at: "summary")?.stringValue?.isEmpty == false })
        }
    }

    @Test(
        "a request switches one on, once, or off",
        arguments: [
            (#"{"on": ["server-error:status=503"]}"#, [503, 503, 503]),
            (#"{"on": "server-error:status=503"}"#, [503, 503, 503]),
            (#"{"once": ["server-error:status=503"]}"#, [503, 200, 200]),
            (#"{"on": "server-error:next=2:status=503"}"#, [503, 503, 200]),
            (#"{"on": "server-error:login"}"#, [200, 200, 200]),
            (#"{"on": "server-error", "off": "all"}"#, nil),
            (#"{"off": "all"}"#, [200, 200, 200]),
            (#"{"on": ["server-error:off"]}"#, [200, 200, 200]),
        ]
    )
    func set(order: String, statuses: [Int]?) async throws {
        let dialect = try dialect("bitbasel")
        try await withSandbox { sandbox in
            let tokens = try await sandbox.login(dialect)
            #expect(try await sandbox.order(order).status == 200)
            var answered: [Int] = []
            for _ in 1...3 {
                let request = dialect.protectedRequest(tokens.access)
                answered.append(try await sandbox.send(request, under: "/bitbasel").status)
            }
            // Faults that are switched off go first: on counts.
            #expect(statuses.map { $0 == answered } ?? answered.allSatisfy { $0 >= 500 })
            let fired = try await sandbox.state().faultsFired["server-error", default: 0]
            #expect(fired == answered.count { $0 >= 500 })
        }
    }

    @Test(
        "an order that is not understood changes nothing, and says why",
        arguments: [
            ("", "expected JSON"), ("[]", "expected JSON"), ("{}", "expected JSON"),
            (#"{"on": []}"#, "expected JSON"), (#"{"ON": ["delay"]}"#, #"unknown key "ON""#),
            (#"{"on": 3}"#, "expected a fault"), (#"{"on": [3]}"#, "expected a fault"),
            (#"{"on": ["delay", "rate-limt"]}"#, "did you mean rate-limit?"),
            (#"{"once": ["delay:p=0.5"]}"#, "exclude each other"),
            (#"{"off": ["everything"]}"#, "There are"),
        ]
    )
    func mistakes(order: String, says: String) async throws {
        try await withSandbox { sandbox in
            let answer = try await sandbox.order(order)
            #expect(answer.status == 400)
            let message = JSONValue(parsing: answer.body)?.value(at: "detail")?.stringValue
            #expect(message?.contains(says) == true)
            #expect(sandbox.server.faults.allSatisfy { $0.state == "off" })
        }
    }

    @Test("other methods are told so", arguments: ["PUT", "DELETE"])
    func methods(method: String) async throws {
        try await withSandbox { sandbox in
            let request = WireRequest(method: method, target: "/__sandbox/faults")
            let response = try await sandbox.send(request)
            #expect(response.status == 405)
        }
    }

    @Test("those of the configuration are on from the beginning")
    func configured() async throws {
        let configuration = SandboxConfiguration(
            faults: [try FaultSetting(parsing: "rate-limit:once:login:seconds=9", at: .backend)]
        )
        let dialect = try dialect("voltyks")
        try await withSandbox(configuration) { sandbox in
            let request = try dialect.loginRequest(Account.sandbox.credentials)
            let response = try await sandbox.send(request, under: "/voltyks")
            #expect(response.status == 429)
            #expect(response.header("Retry-After") == "9")
            _ = try await sandbox.login(dialect)
        }
    }

    @Test("a schedule sets them by itself, and says so; equal seeds set the same")
    func schedule() async throws {
        var settings: [[String]] = []
        for _ in 1...2 {
            let timekeeper = VirtualTimekeeper()
            settings.append(
                try await withSandbox(
                    SandboxConfiguration(faultSchedule: 7),
                    timekeeper: timekeeper
                ) { sandbox in
                    var seen: [String] = []
                    for _ in 1...200 {
                        await timekeeper.waitForSleepers(1)
                        timekeeper.advance(by: .seconds(1))
                        let on = sandbox.server.faults.filter { $0.state != "off" }
                        #expect(on.count <= 1)
                        if let fault = on.first, fault.setting != seen.last {
                            seen.append(fault.setting)
                        }
                    }
                    let list = JSONValue(parsing: try await sandbox.get("/__sandbox/faults").body)
                    #expect(list?.value(at: "schedule.seed") == .integer(7))
                    return seen
                }
            )
        }
        #expect(settings[0].count > 3)
        #expect(settings[0].dropLast().elementsEqual(settings[1].prefix(settings[0].count - 1)))
    }
}

extension RunningSandbox {
    /// Switches faults as any client may.
    func order(_ body: String) async throws -> WireResponse {
        try await send(
            WireRequest(method: "POST", target: "/__sandbox/faults", body: Array(body.utf8))
        )
    }
}
