import Dialects
import Subprocess
import SystemPackage
import Timekeeping
import Tokens

/// A program of a person's own whose first line is a credential: a password manager's.
struct CredentialCommand {
    static let timeLimit = Duration.seconds(10)
    static let sizeLimit = 64 * 1024

    /// What the first line is.
    let credential: String
    /// The program and its arguments.
    let words: [String]
    let time: any Timekeeper

    /// Runs it once.
    ///
    /// - Returns: Its first line.
    /// - Throws: `CommandFailure` that names the program, but nothing of what it was given or said.
    func value() async throws -> Secret {
        let output = try await output()
        let line = String(decoding: output.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        let value = line.last == "\r" ? String(line.dropLast()) : line
        guard !value.isEmpty else { throw failure("printed no first line") }
        return Secret(value)
    }

    private enum Ending: Sendable {
        case printed([UInt8])
        case failed(String)
    }

    private func output() async throws -> [UInt8] {
        let ending = await withTaskGroup(of: Ending.self) { group in
            group.addTask { await ran() }
            group.addTask {
                try? await time.sleep(until: time.now + Self.timeLimit)
                return .failed("took longer than 10 s")
            }
            let first = await group.next() ?? .failed("was not run")
            group.cancelAll()
            return first
        }
        switch ending {
        case .printed(let bytes): return bytes
        case .failed(let words): throw failure(words)
        }
    }

    private func ran() async -> Ending {
        guard let program = words.first else { return .failed("was not run") }
        do {
            let result = try await run(
                program.contains("/") ? .path(FilePath(program)) : .name(program),
                arguments: Arguments(Array(words.dropFirst())),
                output: .bytes(limit: Self.sizeLimit),
                error: .discarded
            )
            switch result.terminationStatus {
            case .exited(0): return .printed(result.standardOutput)
            case .exited(let code): return .failed("ended with \(code)")
            case .signaled(let signal): return .failed("was ended by signal \(signal)")
            }
        } catch let error as SubprocessError {
            switch error.code {
            case .executableNotFound: return .failed("was not found")
            case .outputLimitExceeded: return .failed("printed more than 64 KiB")
            default: return .failed("could not be run")
            }
        } catch {
            return .failed("could not be run")
        }
    }

    private func failure(_ words: String) -> CommandFailure {
        let program = (self.words.first ?? "").prefix(60).filter { !$0.isNewline }
        return CommandFailure(.badInput, "\(credential)_command: \(program) \(words)")
    }
}
