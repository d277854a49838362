import Foundation
import Glibc
import TestSupport
import Testing

@testable import Basics
@testable import Platform

@Suite("A program that is started because of an event")
struct UnattendedProgramTests {
    /// Runs a script in a folder of its own, which is `$1`.
    private static func run(
        _ script: String,
        input: String = "",
        with variables: [String: String] = [:],
        for timeout: Duration = .seconds(60),
        _ look: (String) async throws -> Void = { _ in }
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: false
        )
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let program = UnattendedProgram(
            ["sh", "-c", script, "sh", folder],
            variables: variables.merging(["PATH": "/usr/bin:/bin"]) { $1 },
            timeout: timeout,
            time: LiveTimekeeper()
        )
        try await program.run(input: input)
        try await look(folder)
    }

    /// Runs a program, and returns how it failed.
    private static func failure(
        of program: UnattendedProgram
    ) async -> UnattendedProgram.Failure? {
        do throws(UnattendedProgram.Failure) {
            try await program.run(input: "")
            return nil
        } catch {
            return error
        }
    }

    private static func text(_ name: String, in folder: String) throws -> String {
        try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
    }

    @Test("gets its input whole, however long, and may leave it unread", arguments: [0, 3_000_000])
    func input(size: Int) async throws {
        let input = String(repeating: "x", count: size) + "\n"
        try await Self.run("cat >$1/input", input: input) { folder in
            let text = try Self.text("input", in: folder)
            #expect(text == input)
        }
        try await Self.run("exit 0", input: input)
    }

    @Test("writes to nowhere, has no terminal, and none of the credentials")
    func surroundings() async throws {
        let script = """
            output=$(readlink /proc/$$/fd/1) errors=$(readlink /proc/$$/fd/2)
            echo "$output $errors" >$1/streams
            env >$1/environment; (: </dev/tty) 2>/dev/null && echo yes >$1/terminal
            true
            """
        let variables = ["AUTHTOP_ACME_PASSWORD": "hunter2", "HOOK": "mine"]
        try await Self.run(script, with: variables) { folder in
            #expect(try Self.text("streams", in: folder) == "/dev/null /dev/null\n")
            let environment = try Self.text("environment", in: folder)
            #expect(environment.contains("HOOK=mine"))
            #expect(!environment.contains("hunter2"))
            #expect(!FileManager.default.fileExists(atPath: folder + "/terminal"))
        }
    }

    @Test(
        "tells how it failed",
        arguments: [
            (["/nowhere/at-all"], .missing), (["no-such-program"], .missing),
            (["sh", "-c", "exit 3"], .exited(3)), (["sh", "-c", "kill -9 $$"], .signaled(SIGKILL)),
        ] as [([String], UnattendedProgram.Failure)]
    )
    func failures(arguments: [String], failure: UnattendedProgram.Failure) async {
        let program = UnattendedProgram(
            arguments,
            variables: ["PATH": "/usr/bin:/bin"],
            timeout: .seconds(60),
            time: LiveTimekeeper()
        )
        #expect(await Self.failure(of: program) == failure)
    }

    @Test("ends with everything that it started when its time is over, or the run ends")
    func timeIsOver() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: false
        )
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for isCancelled in [true, false] {
            let time = VirtualTimekeeper()
            let file = "\(folder)/group-\(isCancelled)"
            let script = """
                (trap '' TERM HUP INT; sleep 300; sleep 300) &
                echo $$ >\(file).new && mv \(file).new \(file)
                wait
                """
            let program = UnattendedProgram(
                ["sh", "-c", script],
                variables: ["PATH": "/usr/bin:/bin"],
                timeout: .seconds(30),
                time: time
            )
            let run = Task { await Self.failure(of: program) }
            let group = try await eventually("the group") {
                (try? String(contentsOfFile: file, encoding: .utf8))
                    .flatMap { Int32($0.filter(\.isNumber)) }
            }
            if isCancelled {
                run.cancel()
            } else {
                await time.waitForSleepers(1)
                time.advance(by: .seconds(31))
            }
            #expect(await run.value == .tookTooLong)
            // What was killed is still counted until the system has taken it away.
            try await eventually("the end of the group") { processCount(inGroup: group) == 0 }
        }
    }
}
