import Foundation
import Model
import Synchronization
import TestSupport
import Testing

@testable import Basics
@testable import Client
@testable import Platform

@Suite("The locks of a vault")
struct LockTests {
    static let timeout = Duration.milliseconds(50)
    static let long = Duration.seconds(60)

    @Test("exclude every other holder, in this process too, until they are given back")
    func exclusive() async throws {
        try await withVaults { bench async throws in
            let one = bench.vault()
            let two = bench.vault()
            #expect(try await one.lockFlight(holder: 1, timeout: Self.timeout))
            #expect(try await one.lockFlight(holder: 2, timeout: Self.timeout) == false)
            #expect(try await two.lockFlight(holder: 1, timeout: Self.timeout) == false)
            await one.unlockFlight(holder: 2)
            await two.unlockFlight(holder: 1)
            #expect(try await two.lockFlight(holder: 3, timeout: Self.timeout) == false)
            await one.unlockFlight(holder: 1)
            #expect(try await two.lockFlight(holder: 3, timeout: Self.timeout))
        }
    }

    @Test("go to the process that waits once the holder releases them")
    func passedOn() async throws {
        try await withVaults { bench async throws in
            let one = bench.vault()
            let two = bench.vault()
            #expect(try await one.lockFlight(holder: 1, timeout: Self.timeout))
            async let next = two.lockFlight(holder: 1, timeout: Self.long)
            await one.unlockFlight(holder: 1)
            #expect(try await next)
        }
    }

    @Test("are not taken by a waiter who was told to give up, or was cancelled")
    func givenUp() async throws {
        try await withVaults { bench async throws in
            let one = bench.vault()
            let two = bench.vault()
            #expect(try await one.lockFlight(holder: 1, timeout: Self.timeout))
            let cancelled = Task { try await two.lockFlight(holder: 1, timeout: Self.long) }
            cancelled.cancel()
            #expect(try await cancelled.value == false)

            let clock = VirtualTimekeeper()
            let keys = [KeyFile(folder: bench.folder)]
            let three = SealedVault.file(location: bench.location, keys: keys, time: clock)
            async let waiting = three.lockFlight(holder: 1, timeout: Self.long)
            await clock.waitForSleepers(1)
            await three.unlockFlight(holder: 1)
            await one.unlockFlight(holder: 1)
            clock.advance(by: .seconds(1))
            #expect(try await waiting == false)
            #expect(try await one.lockFlight(holder: 2, timeout: Self.timeout))
        }
    }

    @Test("wait as long as they were told to, without a thread")
    func timeout() async throws {
        try await withVaults { bench async throws in
            let clock = VirtualTimekeeper()
            let keys = [KeyFile(folder: bench.folder)]
            let vault = SealedVault.file(location: bench.location, keys: keys, time: clock)
            #expect(try await vault.lockFlight(holder: 1, timeout: Self.long))
            async let waiting = vault.lockFlight(holder: 2, timeout: .seconds(25))
            let begin = clock.now
            var isOver = false
            while !isOver {
                await clock.waitForSleepers(1)
                clock.advance(by: .milliseconds(50))
                isOver = clock.now - begin >= .seconds(25)
            }
            #expect(try await waiting == false)
        }
    }

    /// Another process that holds a lock until it is stopped.
    private func holder(of lock: String) async throws -> Program {
        let line = "exec 9<'\(lock)'; flock 9 && echo locked && exec sleep 600"
        let program = try Program("/bin/sh", ["-c", line])
        try await eventually("the lock") { program.output.lines.contains("locked") }
        return program
    }

    @Test("of another process are respected, and end with it however it ends")
    func otherProcess() async throws {
        try await withVaults { bench async throws in
            let vault = bench.vault()
            _ = try await vault.commit(.login(.signedIn()))
            #expect(try await vault.lockFlight(holder: 1, timeout: Self.timeout))
            await vault.unlockFlight(holder: 1)
            let lock = bench.path("\(bench.location.stem).flight")
            let other = try await holder(of: lock)
            #expect(try await vault.lockFlight(holder: 2, timeout: Self.timeout) == false)
            async let waiting = vault.lockFlight(holder: 3, timeout: Self.long)
            await other.stop()
            #expect(try await waiting)
            try await Program.shell("exec 9<'\(lock)'; ! flock -n 9")
        }
    }

    @Test("say since when another process that signs them holds them, and are signed by this one")
    func holderSince() async throws {
        try await withVaults { bench async throws in
            let vault = bench.vault()
            _ = try await vault.commit(.login(.signedIn()))
            #expect(try await vault.lockFlight(holder: 1, timeout: Self.timeout))
            let path = bench.path("\(bench.location.stem).flight")
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "\(getpid())")
            await vault.unlockFlight(holder: 1)
            let script =
                "import fcntl, os, sys, time; file = open(sys.argv[1], 'w'); "
                + "fcntl.flock(file, fcntl.LOCK_EX); file.write(str(os.getpid())); file.flush(); "
                + "os.utime(sys.argv[1], (0, time.time() - 30)); print('locked', flush=True); "
                + "time.sleep(600)"
            let other = try Program(Program.python, ["-c", script, path])
            try await eventually("the lock") { other.output.lines.contains("locked") }
            let named = Mutex<LockHolder?>(nil)
            _ = try await vault.lockFlight(holder: 2, timeout: .milliseconds(10)) { holder in
                named.withLock { $0 = holder }
            }
            let holder = try #require(named.withLock { $0 })
            #expect(holder.process == Int(other.pid))
            #expect((30..<330).contains(try #require(holder.seconds)))
            await other.stop()
        }
    }

    @Test("name the process that holds them, for one that waits")
    func holderIsNamed() async throws {
        try await withVaults { bench async throws in
            let vault = bench.vault()
            _ = try await vault.commit(.login(.signedIn()))
            #expect(try await vault.lockFlight(holder: 1, timeout: Self.timeout))
            await vault.unlockFlight(holder: 1)
            let script =
                "import fcntl, sys, time; file = open(sys.argv[1]); fcntl.flock(file, fcntl.LOCK_EX); "
                + "print('locked', flush=True); time.sleep(600)"
            let other = try Program(
                Program.python,
                ["-c", script, bench.path("\(bench.location.stem).flight")]
            )
            try await eventually("the lock") { other.output.lines.contains("locked") }
            let named = Mutex<LockHolder?>(nil)
            let isLocked = try await vault.lockFlight(holder: 2, timeout: Self.timeout) { holder in
                named.withLock { $0 = holder }
            }
            #expect(!isLocked)
            #expect(named.withLock { $0 } == LockHolder(process: Int(other.pid)))
            await other.stop()
        }
    }

    @Test("a record lock that is never given back is a problem in words, and nothing is written")
    func stuck() async throws {
        try await withVaults { bench async throws in
            _ = try await bench.vault().commit(.login(.signedIn()))
            let lock = bench.path("\(bench.location.stem).lock")
            let other = try await holder(of: lock)
            let message = try await bench.vault().writingProblem()
            #expect(message == "another process holds \(lock): is one of them stopped?")
            #expect(try await bench.vault().load() == .signedIn())
            await other.stop()
            #expect(try await bench.vault().commit(.login(.full())) == .committed)
        }
    }

    @Test("say what is in the way where their file cannot be opened, without a wait")
    func unopenable() async throws {
        try await withVaults { bench async throws in
            let vault = bench.vault()
            _ = try await vault.commit(.login(.signedIn()))
            let lock = bench.path("\(bench.location.stem).flight")
            try FileManager.default.createDirectory(
                atPath: lock,
                withIntermediateDirectories: false
            )
            #expect(
                try await vault.lockingProblem() == "\(lock): expected a file; move it away"
            )
            try FileManager.default.removeItem(atPath: lock)
            #expect(try await vault.lockFlight(holder: 2, timeout: Self.timeout))
        }
    }

    @Test("still exclude after their files were deleted")
    func deleted() async throws {
        try await withVaults { bench async throws in
            let one = bench.vault()
            let two = bench.vault()
            _ = try await one.commit(.login(.signedIn()))
            #expect(try await one.lockFlight(holder: 1, timeout: Self.timeout))
            await one.unlockFlight(holder: 1)
            try FileManager.default.removeItem(atPath: bench.path("\(bench.location.stem).flight"))
            #expect(try await one.lockFlight(holder: 2, timeout: Self.timeout))
            #expect(try await two.lockFlight(holder: 1, timeout: Self.timeout) == false)
        }
    }
}
