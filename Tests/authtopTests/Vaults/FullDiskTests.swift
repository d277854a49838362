import Client
import Foundation
import Glibc
import Model
import TestSupport
import Testing

@Suite(
    "A disk that becomes full under a watch",
    .programs,
    .enabled("mounting is not permitted") { await SmallDisk.isPossible }
)
struct FullDiskTests {
    @Test("before a renewal delays it: nothing is sent without a journal, and room mends it")
    func before() async throws {
        try await onSmallDisk(lifetime: "30s") { session, disk in
            let watch = try session.watch()
            try await watch.stream.state("fresh")
            try await disk.fill()
            let failed = try await watch.stream.first("refreshFailed")
            #expect(failed.text("class") == "heldBack")
            #expect(failed.text("cause") == "vaultFull")
            #expect(failed.text("message")?.contains(SmallDisk.message) == true)
            #expect(failed["nextAt"] != nil)
            try await session.expectAccepted(watch, after: failed)
            #expect(try await session.refreshes() == 0)
            try disk.makeRoom()
            try await watch.stream.first("refreshSucceeded", after: failed)
            try await session.expectKept(watch)
        }
    }

    @Test("during a renewal leaves the pair unsaved: the session goes on, and room saves it")
    func during() async throws {
        try await onSmallDisk { session, disk in
            let watch = try session.watch()
            try await watch.stream.state("fresh")
            try await session.sandbox.order(#"{"once": "delay:refresh:seconds=18"}"#)
            try await session.askForRenewal()
            try await watch.stream.first("refreshStarted")
            try await disk.fill()
            let unsaved = try await watch.stream.first("unsaved")
            #expect(unsaved.text("message")?.contains(SmallDisk.message) == true)
            let renewed = try await watch.stream.first("refreshSucceeded", after: unsaved)
            #expect(renewed.generation == 2)
            try await session.expectAccepted(watch, after: renewed)
            let record = try await session.record()
            #expect(record.pair?.generation == 1)
            #expect(record.journal?.generation == 1)
            try disk.makeRoom()
            try await watch.stream.first("saved", after: renewed)
            try await session.expectKept(watch)
        }
    }

    @Test("during a renewal is said on the screen, with what to do, until there is room")
    func onScreen() async throws {
        try await onSmallDisk { session, disk in
            let terminal = try await session.bench.terminal(with: session.variables)
            let message = ["authtop", "watch"] + session.arguments + ["--every", "500ms"]
            try await terminal.enter(message.joined(separator: " "))
            try await terminal.see("● fresh")
            try await session.sandbox.order(#"{"once": "delay:refresh:seconds=18"}"#)
            try await session.askForRenewal()
            try await terminal.see("◐ renewing")
            try await disk.fill()
            try await terminal.see("⚠ not saved to disk")
            try await terminal.see("● fresh")
            try disk.makeRoom()
            // The history keeps its line.
            try await terminal.see("a header without the warning") { screen in
                !screen.prefix { !$0.contains("╭") }.contains { $0.contains("not saved to disk") }
            }
            #expect(try await session.record().pair?.generation == 2)
        }
    }

    @Test("does not keep a logout from erasing the pair, and the backend is told")
    func logout() async throws {
        try await onSmallDisk { session, disk in
            try await disk.fill()
            let logout = try session.operation("logout")
            #expect(try await logout.ended() == .exit(0), "\(logout.errors.text)")
            #expect(logout.output.text.contains("logged out here"))
            #expect(try await session.sandbox.report().counters(of: session.guide)?.logouts == 1)
            try await session.expectErased()
            let status = try session.operation("status")
            #expect(try await status.ended() == .exit(1))
            #expect(!status.output.text.contains("not sent to the backend yet"))
            try disk.makeRoom()
            let again = try session.operation("login", with: session.guide.credentials)
            #expect(try await again.ended() == .exit(0), "\(again.errors.text)")
        }
    }

    @Test(
        "does not keep a logout from erasing the pair where the backend cannot be notified either"
    )
    func logoutOffline() async throws {
        try await onSmallDisk { session, disk in
            try await disk.fill()
            session.sandbox.program.send(SIGKILL)
            try await session.sandbox.program.ended()
            let logout = try session.operation("logout")
            #expect(try await logout.ended() == .exit(0), "\(logout.errors.text)")
            // The room that the pair leaves is enough, or else it is said that nothing is kept.
            let message = logout.output.text
            #expect(message.contains("revocation pending") || message.contains(SmallDisk.message))
            try await session.expectErased()
        }
    }

    /// A backend that ends the session when a token is used twice, and a session on a small disk.
    private func onSmallDisk(
        lifetime: String = "10m",
        _ body: (StoredSession, SmallDisk) async throws -> Void
    ) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox(
                "--access-ttl",
                lifetime,
                "--reuse",
                "strict-revoke"
            )
            let disk = bench.keep(try await SmallDisk(at: "\(bench.home)/small/authtop"))
            let session = try await StoredSession(
                on: bench,
                guide: .intellipost,
                sandbox: sandbox,
                name: "small"
            )
            try await body(session, disk)
        }
    }
}

extension StoredSession {
    /// Has the next request refused, once.
    fileprivate func askForRenewal() async throws {
        try await sandbox.order(#"{"once": "unauthorized:protected"}"#)
    }

    fileprivate func refreshes() async throws -> Int? {
        try await sandbox.report().counters(of: guide)?.refreshes
    }

    fileprivate func expectAccepted(_ watch: Watch, after event: Event) async throws {
        try await watch.stream.expectAccepted(after: event)
    }

    /// Expects no pair in any file, and no program to find one.
    fileprivate func expectErased() async throws {
        let isThere = FileManager.default.fileExists(atPath: folder)
        let record = isThere ? try? await storedRecord() : nil
        #expect(record?.pair == nil)
        let drafts = try FileManager.default.contentsOfDirectory(atPath: folder)
            .filter { $0.hasSuffix(".tmp") }
        #expect(drafts == [])
    }

    /// Expects the second pair to be on the disk, and another program to go on with it.
    fileprivate func expectKept(_ watch: Watch) async throws {
        watch.program.send(SIGKILL)
        try await watch.program.ended()
        #expect(try watch.stream.all("signedOut").isEmpty)
        #expect(try watch.stream.all("draining").isEmpty)
        let record = try await record()
        #expect(record.pair?.generation == 2)
        #expect(record.journal == nil)
        let next = try self.watch()
        let resumed = try await next.stream.first("tokensIssued")
        #expect(try await issuedPairs() == [resumed.pair])
        try await expectAccepted(next, after: resumed)
        let counters = try #require(try await sandbox.report().counters(of: guide))
        #expect(counters.logins == 1)
        #expect(counters.refreshes == 1)
        #expect(counters.reuses == 0)
    }
}
