import TestSupport
import Testing

/// The whole table: each case is made, and the screen is compared with what its file says.
@Suite("What the screen says of each failure", .programs)
struct FailureCaseTests {
    @Test("is what happened", arguments: FailureCases.all)
    func shown(failure: FailureCase) async throws {
        try await withBench { bench in
            let stage = CaseStage(bench)
            for step in failure.steps { try await stage.run(step) }
            let terminal = try #require(stage.terminal)
            let wanted = FailureCases.isUpdating ? nil : failure.expected
            let (seen, texts) = try await Self.seen(failure, on: terminal, wanted: wanted)
            if let issue = failure.arguments(of: "known").first {
                withKnownIssue("\(issue)") { Self.expectTruth(failure, texts) }
            } else {
                Self.expectTruth(failure, texts)
            }
            if FailureCases.isUpdating {
                guard seen != failure.expected else { return }
                try FailureCases.update(failure, seen: seen)
                Issue.record("\(failure.testDescription) was written again:\n\(seen)")
            } else {
                #expect(seen == failure.expected, "saw:\n\(seen)")
            }
        }
    }

    @Test("has a name of its own and a true cause, and there are as many as the page says")
    func table() {
        #expect(FailureCases.all.count >= 45)
        let names = FailureCases.all.map(\.testDescription)
        #expect(Set(names).count == names.count)
        let causes = Set(StatedCause.all.map(\.name) + ["none"])
        for failure in FailureCases.all {
            let named = failure.arguments(of: "cause").flatMap { $0.split(separator: " ") }
            #expect(!named.isEmpty, "\(failure.testDescription) names no cause")
            #expect(causes.isSuperset(of: named.map(String.init)), "\(failure.testDescription)")
            #expect(!failure.expected.isEmpty, "\(failure.testDescription): UPDATE_CASES=1")
        }
    }

    /// Reads the screen until it is as wanted, or, if nothing is wanted, until it stands still.
    private static func seen(
        _ failure: FailureCase,
        on terminal: Terminal,
        wanted: String?
    ) async throws -> (seen: String, texts: [String]) {
        let opens = failure.arguments(of: "open").first
        let ownOverlay = wanted.map { wanted in
            wanted.split(separator: "\n").filter { $0.hasPrefix("overlay ") }.joined(
                separator: "\n"
            )
        }
        let ownPanes = wanted.map { wanted in
            wanted.split(separator: "\n").filter { !$0.hasPrefix("overlay ") }.joined(
                separator: "\n"
            )
        }
        var (seen, texts) = try await settled(terminal, wanted: ownPanes) { screen in
            panes(failure, screen)
        }
        guard let opens else { return (seen, texts) }
        for key in opens.split(separator: " ") { try await terminal.press(String(key)) }
        try await terminal.see("Esc back")
        let overlay = try await settled(terminal, wanted: ownOverlay) { screen in
            screen.overlay
                .map { CaseNormalizer.normalize($0, counts: failure.hasRunningCounts) }
                .map { "overlay   \($0)" }
                .joined(separator: "\n")
        }
        seen += "\n" + overlay.seen
        texts += overlay.texts
        return (seen, texts)
    }

    private static func settled(
        _ terminal: Terminal,
        wanted: String?,
        _ text: (CaseScreen) -> String
    ) async throws -> (seen: String, texts: [String]) {
        let end = ContinuousClock.now + .seconds(15)
        var before: String?
        while true {
            let screen = CaseScreen(try await terminal.lines)
            let seen = text(screen)
            let isDone = wanted.map { $0 == seen } ?? (before == seen)
            if isDone || ContinuousClock.now > end { return (seen, screen.texts) }
            before = seen
            let pause = ContinuousClock.now + .milliseconds(wanted == nil ? 400 : 100)
            try await eventually("a moment") { ContinuousClock.now > pause }
        }
    }

    private static func panes(_ failure: FailureCase, _ screen: CaseScreen) -> String {
        let parts =
            [
                ("headline", screen.headline), ("last", screen.last), ("advice", screen.advice),
                ("renewal", screen.renewal), ("requests", screen.requests), ("feed", screen.feed),
                ("", screen.feedState),
            ] + failure.arguments(of: "row").map { ("row", screen.row($0)) }
        return parts.filter { !$0.1.isEmpty }.map { name, value in
            let label = name + String(repeating: " ", count: 10 - name.count)
            return label
                + CaseNormalizer.normalize(value, counts: failure.hasRunningCounts)
        }
        .joined(separator: "\n")
    }

    /// The true cause is named, or among the possible ones, and no other is stated as certain.
    private static func expectTruth(_ failure: FailureCase, _ all: [String]) {
        // That a fault of the sandbox is on or off states no cause, whatever its name.
        let texts = all.filter { !$0.contains(", seen at the sandbox: ") }
        let named = Set(
            failure.arguments(of: "cause").flatMap { $0.split(separator: " ") }.map(String.init)
        )
        // Other true statements that may be on the screen or not, depending on time.
        let optional = failure.arguments(of: "maybe")
        for cause in StatedCause.all where !optional.contains(cause.name) {
            if named.contains(cause.name) {
                #expect(
                    cause.isCertain(on: texts) || cause.isPossible(on: texts),
                    "\(failure.testDescription): \(cause.name) is not named"
                )
            } else {
                #expect(
                    !cause.isCertain(on: texts),
                    "\(failure.testDescription): \(cause.name) is stated"
                )
            }
        }
    }
}
