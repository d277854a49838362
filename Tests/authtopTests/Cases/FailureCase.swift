import Foundation
import Synchronization
import TestSupport
import Testing

/// One thing that goes wrong: how it is made, its true cause, and what a reader sees of it.
///
/// `Scripts/FAMILY.txt` has one after the other, each of the form
///
///     === what goes wrong
///     STEPS, one per line
///     ---
///     what is seen
///
/// See `CaseStage` for the steps.
struct FailureCase: Sendable, CustomTestStringConvertible {
    let family: String
    let name: String
    let steps: [String]
    /// The expected text, as the file has it.
    let expected: String

    var testDescription: String { "\(family): \(name)" }

    /// The arguments of a step, by its first word.
    func arguments(of verb: String) -> [String] {
        steps.filter { $0.hasPrefix(verb + " ") }.map { String($0.dropFirst(verb.count + 1)) }
    }

    /// Whether it goes on while one looks.
    var hasRunningCounts: Bool { steps.contains("running") }

    var text: String {
        (["=== \(name)"] + steps + ["---", expected]).joined(separator: "\n") + "\n"
    }
}

/// The files of cases.
enum FailureCases {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent()

    /// Whether they are written again, `UPDATE_CASES=1`.
    static let isUpdating = ProcessInfo.processInfo.environment["UPDATE_CASES"] == "1"

    static let all: [FailureCase] = families.flatMap(read)

    /// One writer at a time: cases run in parallel, and share their files.
    private static let writing = Mutex(())

    private static var families: [String] {
        let names = try? FileManager.default.contentsOfDirectory(
            atPath: folder.appending(path: "Scripts").path(percentEncoded: false)
        )
        return (names ?? []).filter { $0.hasSuffix(".txt") }.map { String($0.dropLast(4)) }.sorted()
    }

    private static func file(_ family: String) -> URL {
        folder.appending(path: "Scripts/\(family).txt")
    }

    private static func read(_ family: String) -> [FailureCase] {
        let text = (try? String(contentsOf: file(family), encoding: .utf8)) ?? ""
        return ("\n" + text).components(separatedBy: "\n=== ").dropFirst().map { entry in
            let lines = entry.components(separatedBy: "\n")
            let steps = lines.dropFirst().prefix { $0 != "---" }.filter { !$0.isEmpty }
            let expected = lines.drop { $0 != "---" }.dropFirst().joined(separator: "\n")
            return FailureCase(
                family: family,
                name: lines[0],
                steps: Array(steps),
                expected: expected.trimmingCharacters(in: .newlines)
            )
        }
    }

    /// Writes what was seen into the case's file.
    static func update(_ failure: FailureCase, seen: String) throws {
        try writing.withLock { _ in
            let texts = read(failure.family).map { other in
                guard other.name == failure.name else { return other.text }
                return FailureCase(
                    family: other.family,
                    name: other.name,
                    steps: other.steps,
                    expected: seen
                )
                .text
            }
            try texts.joined(separator: "\n")
                .write(to: file(failure.family), atomically: true, encoding: .utf8)
        }
    }
}
