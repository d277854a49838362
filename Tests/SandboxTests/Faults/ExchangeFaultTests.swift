import FoundationEssentials
import HTTP
import Profiles
import Testing

@testable import Backend
@testable import Basics
@testable import Sandbox

@Suite("Sandbox: what a fault looks like from the other end of a socket")
struct ExchangeFaultTests {
    @Test(
        "an answer that is lost, cut or never given is no answer; only the backend knows",
        arguments: [
            ("drop-after-commit", true), ("drop-request", false), ("truncated-body", true),
        ]
    )
    func lost(name: String, isCommitted: Bool) async throws {
        let dialect = try dialect("voltyks")
        try await withSandbox { sandbox in
            let tokens = try await sandbox.login(dialect)
            _ = try await sandbox.order(#"{"once": "\#(name):refresh"}"#)
            await #expect(throws: (any Error).self) {
                try await sandbox.refresh(dialect, tokens.refresh)
            }
            let state = try await sandbox.state()
            #expect(state.faultsFired == [name: 1])
            #expect(state.backend.sessions[0].spent == (isCommitted ? 1 : 0))
            let again = try await sandbox.refresh(dialect, tokens.refresh)
            if case .issued = again {
                #expect(!isCommitted)
            } else {
                #expect(isCommitted)
            }
        }
    }

    @Test("a late answer is late by as much as was asked for")
    func late() async throws {
        let dialect = try dialect("voltyks")
        let timekeeper = VirtualTimekeeper()
        try await withSandbox(timekeeper: timekeeper) { sandbox in
            _ = try await sandbox.order(#"{"once": "delay:seconds=300"}"#)
            async let tokens = sandbox.login(dialect)
            await timekeeper.waitForSleepers(1)
            #expect(timekeeper.nextDeadline == .origin + .seconds(300))
            timekeeper.advance(by: .seconds(300))
            _ = try await tokens
        }
    }

    @Test("a wrong Date is wrong by as much as was asked for")
    func skewed() async throws {
        let timekeeper = VirtualTimekeeper()
        let dialect = try dialect("bitbasel")
        try await withSandbox(timekeeper: timekeeper) { sandbox in
            let tokens = try await sandbox.login(dialect)
            _ = try await sandbox.order(#"{"once": "skewed-date:seconds=-3600"}"#)
            let request = dialect.protectedRequest(tokens.access)
            for offset in [-3600.0, 0] {
                let response = try await sandbox.send(request, under: "/bitbasel")
                let date = HTTPDate.format(timekeeper.wall.addingTimeInterval(offset))
                #expect(response.header("Date") == date)
            }
        }
    }

    @Test("a page in the backend's place is HTML with status 200")
    func page() async throws {
        let dialect = try dialect("bitbasel")
        try await withSandbox { sandbox in
            let tokens = try await sandbox.login(dialect)
            _ = try await sandbox.order(#"{"once": "html-200"}"#)
            let request = dialect.protectedRequest(tokens.access)
            let response = try await sandbox.send(request, under: "/bitbasel")
            #expect(response.status == 200)
            #expect(response.header("Content-Type") == "text/html")
        }
    }

    @Test("an early revocation ends the session's feed as well")
    func revoked() async throws {
        let dialect = try dialect("bitbasel")
        try await withSandbox { sandbox in
            let tokens = try await sandbox.login(dialect)
            let request = dialect.feedRequest(tokens.access, since: nil)
            let feed = try await sandbox.open(request, under: "/bitbasel")
            _ = try await sandbox.state { $0.sockets.count == 1 }
            _ = try await sandbox.order(#"{"once": "early-revocation:protected"}"#)
            #expect(try await sandbox.opens(dialect, tokens.access) == .accepted)
            #expect(try await feed.drain().code == 4401)
            #expect(try await sandbox.state().backend.sessions[0].ended == "revoked")
        }
    }

    @Test(
        "a reuse policy is what the configuration says",
        arguments: [
            (ReusePolicy.none, true, nil as String?), (.strict, false, nil),
            (.strictRevokeFamily, false, "reuse"), (.grace(seconds: 30), true, nil),
            (.graceForks(seconds: 30), true, nil), (.oldLivesUntilNewUsed, true, nil),
        ]
    )
    func reuse(policy: ReusePolicy, isRenewed: Bool, ended: String?) async throws {
        let dialect = try dialect("voltyks")
        try await withSandbox(SandboxConfiguration(reuse: policy)) { sandbox in
            let first = try await sandbox.login(dialect)
            _ = try await sandbox.renewed(dialect, first.refresh)
            let again = try await sandbox.refresh(dialect, first.refresh)
            if case .issued = again { #expect(isRenewed) } else { #expect(!isRenewed) }
            #expect(try await sandbox.state().backend.sessions[0].ended == ended)
        }
    }
}
