import ArgumentParser
import Client
import Model
import Observer
import Platform
import Profiles
import UI

struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Show a recording in the dashboard, as it was, or print its events.",
        usage: "authtop replay [<options>] <file>",
        discussion: """
            Space plays and pauses, . and , step to the next event and back, Right and Left seek by \
            10 s, + and - change the speed, 0 and $ go to the start and the end. Nothing is sent.

            A recording of authtop proxy is observed again, and so is an HTTP archive (HAR) of \
            another tool, such as a browser's with sensitive data: \
            authtop replay capture.har --findings

            Exit codes: 0 done, 1 with --findings: a bug was found that is certain, 2 the file is \
            no recording, 4 with --findings: nothing could be judged, as where no token was recognized.
            """
    )

    @Argument(help: "A file of --record, or an HTTP archive.", completion: .file())
    var file: String

    @Flag(help: "Print events as JSON lines in place of a screen; the default without a terminal.")
    var json = false

    @Flag(help: "Print what goes wrong in an app's traffic; with --json, as JSON lines.")
    var findings = false

    @Option(
        help: ArgumentHelp(
            "The profile of the backend, by which an HTTP archive is read.",
            valueName: "name"
        ),
        completion: .profiles
    )
    var profile: String?

    @Option(
        help: """
            Print the dashboard of the recording as a picture that moves (SVG), of this size, such \
            as 100x30.
            """
    )
    var film: FrameSizeArgument?

    @Option(
        name: .customLong("film-step"),
        help: "With --film: the time of the recording between two frames, such as 500ms."
    )
    var filmStep: DurationArgument?

    @OptionGroup(title: "Reports") var reports: ReportFileOptions

    @OptionGroup var appearance: AppearanceOptions

    func validate() throws {
        guard findings || reports.isEmpty else {
            throw ValidationError("--junit and --sarif are reports of --findings")
        }
        guard film == nil || !json && !findings else {
            throw ValidationError("--film excludes --json and --findings")
        }
        guard film != nil || filmStep == nil else {
            throw ValidationError("--film-step is for a film: add --film")
        }
    }

    func run() async throws {
        let environment = LiveEnvironment()
        try reports.check()
        let file = try RecordingFile(file)
        let run = try file.run(speaking: try await dialect(in: environment), in: environment)
        if findings { return try print(findings: run, of: file.path) }
        if let film { return try print(film: run, of: film, in: environment) }
        guard !json, StandardOutput.isTerminal else {
            for event in run.recording.events {
                let line = EventLine.text(of: event, causes: CauseText())
                guard StandardOutput.write(line) else { return }
            }
            return
        }
        let end = try await PlayedRecording.show(run, appearance: appearance, in: environment)
        if case .interrupted(let signal)? = end { ProgramExit.leave(128 + signal) }
    }

    /// Prints a picture that moves, one frame each step.
    private func print(
        film run: RecordedRun,
        of size: FrameSizeArgument,
        in environment: LiveEnvironment
    ) throws {
        let step = filmStep?.seconds ?? 1
        let recording = run.recording
        let count = Film.count(of: recording, step: step)
        guard count <= Film.limit else {
            throw CommandFailure(
                .badInput,
                "\(file): \(count) frames are more than \(Film.limit): choose a longer --film-step"
            )
        }
        let configuration = DashboardConfiguration(
            appearance,
            defaults: try environment.screenDefaults(appearance),
            hasColor: true,
            isUTF8: true,
            in: environment
        )
        let film = Film(
            of: recording,
            from: DashboardState(
                configuration: configuration,
                sessions: recording.header.sessions.map {
                    DashboardSession(id: $0.id, faults: $0.faults)
                },
                isObserved: run.observed != nil
            ),
            size: (size.columns, size.rows),
            step: step
        )
        _ = StandardOutput.write(film.svg)
    }

    private func dialect(
        in environment: LiveEnvironment
    ) async throws -> (dialect: Dialect, basePath: String?)? {
        guard let name = profile else { return nil }
        let profile = try await environment.profile(named: name, caFile: nil)
        return (profile.dialect, try profile.checkedOrigin()?.pathPrefix)
    }

    /// Prints the findings, each as it was reported last.
    private func print(findings run: RecordedRun, of path: String) throws {
        var last: [Int: (finding: ObservedFinding, event: SessionEvent)] = [:]
        var omitted: [Omission.Subject: Omission] = [:]
        var coverage: (seen: ObservedCoverage, event: SessionEvent)?
        for event in run.recording.events {
            if let omission = event.kind as? Omission {
                omitted[omission.subject] = omission
            }
            if let seen = event.kind as? ObservedCoverage { coverage = (seen, event) }
            guard var finding = event.kind as? ObservedFinding else { continue }
            // All of its evidence.
            finding.addition = nil
            var event = event
            event.kind = finding
            last[finding.number] = (finding, event)
        }
        let sorted = last.values.sorted { $0.finding.number < $1.finding.number }
        let sessions = sorted.filter { $0.event.session != ObservationMachine.withoutToken }
            .map { ($0.finding.number, $0.event.session) }
        let report = FindingsReport(
            findings: sorted.map(\.finding),
            sessions: Dictionary(uniqueKeysWithValues: sessions),
            omitted: Omission.Subject.allCases.compactMap { omitted[$0] },
            coverage: coverage?.seen
        )
        let events = sorted.map(\.event) + [coverage?.event].compactMap(\.self)
        let lines =
            json ? events.map { EventLine.text(of: $0, causes: CauseText()) } : report.lines
        let indent = json ? nil : FindingsReport.indent
        for line in lines where !StandardOutput.write(line, wrappedBelow: indent) { break }
        var failures = reports.write(report, limit: .bugs)
        let names = Set(report.failing(.bugs).map(\.rule)).sorted().joined(separator: ", ")
        if !names.isEmpty {
            failures.append(CommandFailure(.notSo, "\(path): found \(names)"))
        } else if let reason = report.nothingJudged {
            failures.append(CommandFailure(.notJudged, "\(path): \(reason)"))
        }
        try failures.settle()
    }
}
