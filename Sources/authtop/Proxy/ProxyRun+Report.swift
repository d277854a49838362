import Basics
import Model
import Observer
import Platform
import Proxy

// What is left of a run once it has ended.

extension ProxyRun {
    /// Writes the reports, each regardless of the others, and ends the program if it does not end
    /// with 0.
    ///
    /// - Parameters:
    ///   - store: The store of the observed traffic.
    ///   - code: The exit code of what the proxy ran beside, or 0.
    ///   - unwritten: Why other files were not written.
    /// - Throws: `CommandFailure` if something was found that makes the run fail, or a file cannot be
    ///   written.
    func report(
        on store: ObservationStore,
        code: Int32,
        beside unwritten: [CommandFailure]
    ) async throws {
        var failures = unwritten
        let report = FindingsReport(
            findings: await store.findings,
            sessions: await store.findingSessions,
            marks: await store.marks,
            scorecards: await store.scorecards,
            omitted: await store.omitted,
            coverage: await store.coverage,
            misdirected: await store.lastMisdirected,
            accepted: accepted
        )
        let lines = options.exec == nil ? report.omissions.map { "authtop: \($0)" } : report.lines
        for line in lines { StandardError.write(line, wrappedBelow: FindingsReport.indent) }
        let failing = report.failing(limit)
        failures += options.tests.reports.write(report, limit: limit)
        if let summary = environment.variables["GITHUB_STEP_SUMMARY"], !summary.isEmpty {
            let step = StepSummary(report: report)
            failures.collect { () throws(CommandFailure) in try step.append(to: summary) }
        }
        if code != 0 {
            for failure in failures { StandardError.write("authtop: \(failure.message)") }
            ProgramExit.leave(code)
        }
        let failed = Set(report.failingScorecards(limit).map(\.experiment.description)).sorted()
        if !failing.isEmpty || !failed.isEmpty {
            let names = Set(failing.map(\.rule)).sorted() + failed.map { "experiment \($0)" }
            failures.append(
                CommandFailure(
                    .notSo,
                    "found what --fail-on names: \(names.joined(separator: ", "))"
                )
            )
        } else if await store.traffic.reachedNothing {
            let names = backends.joined(separator: ", ")
            failures.append(CommandFailure(.unreachable, "no request reached \(names)"))
        } else if options.exec != nil, limit != .none, let reason = report.nothingJudged {
            failures.append(CommandFailure(.notJudged, reason))
        }
        if options.exec != nil, report.omissions.isEmpty, await store.traffic.exchanges.isEmpty {
            let question =
                origins.isEmpty
                ? "no request came through: does the program read HTTPS_PROXY and SSL_CERT_FILE, as Node "
                    + "does from 22.21 on?"
                : "no request came: does the program use AUTHTOP_PROXY_URL, or --env NAME?"
            StandardError.write("authtop: \(question)")
        }
        try failures.settle()
    }
}
