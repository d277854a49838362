import ArgumentParser
import Basics
import Client
import Model
import Observer
import Synchronization
import UI

/// The evidence of an app's traffic: its recording, and the files that are written at the end.
final class TrafficEvidence: Sendable {
    private let recorder: EventRecorder?
    private let options: EvidenceOptions
    private let baseURL: String
    private let problem = Mutex<String?>(nil)

    /// - Parameters:
    ///   - recorder: Writes the recording, or `nil` for none.
    ///   - options: Name the files.
    ///   - baseURL: The base URL of the backend.
    /// - Throws: `CommandFailure` if one of them could not be written.
    init(recorder: EventRecorder?, options: EvidenceOptions, baseURL: String) throws {
        self.baseURL = baseURL
        self.recorder = recorder
        self.options = options
        let named = [("--har", options.har), ("--write-profile", options.writtenProfile)]
        for (option, path) in named {
            if let path { try PrivateFile(path: path, option: option).check() }
        }
    }

    /// Records what was observed.
    func record(_ input: ObservationInput, at moment: Moment) {
        guard let problem = recorder?.record(input, at: moment) else { return }
        self.problem.withLock { $0 = problem }
    }

    /// Returns why the recording has stopped, once.
    func takeProblem() -> String? { problem.withLock { $0.take() } }

    /// Ends the recording, and writes the other files, each regardless of the others.
    ///
    /// - Returns: Why one of them was not written.
    func finish(_ store: ObservationStore, at moment: Moment) async -> [CommandFailure] {
        var failures: [CommandFailure] = []
        let traffic = await store.traffic
        let findings = await store.findings
        failures.collect { () throws(CommandFailure) in try recorder?.finish(at: moment) }
        failures.collect { () throws(CommandFailure) in try writeArchive(of: traffic, findings) }
        failures.collect { () throws(CommandFailure) in try writeProfile(of: traffic) }
        return failures
    }

    private func writeArchive(
        of traffic: ObservedTraffic,
        _ findings: [ObservedFinding]
    ) throws(CommandFailure) {
        guard let path = options.har else { return }
        let document = HARDocument.json(
            of: traffic,
            findings,
            baseURL: baseURL,
            version: AuthtopCommand.configuration.version
        )
        try PrivateFile(path: path, option: "--har").create(document.serialized + "\n")
        traffic.warnOfGap(in: path)
    }

    private func writeProfile(of traffic: ObservedTraffic) throws(CommandFailure) {
        guard let path = options.writtenProfile else { return }
        guard let profile = LearnedProfile(of: traffic, at: baseURL) else {
            // What was run beside the proxy has not failed.
            return StandardError.write(
                "authtop: --write-profile: no login and no renewal was seen, so there is no profile"
            )
        }
        try PrivateFile(path: path, option: "--write-profile").create(profile.text)
        for gap in profile.missing { StandardError.write("authtop: \(path): \(gap) was seen") }
    }
}

extension ObservedTraffic {
    /// Says that an archive lacks earlier requests, if it does.
    func warnOfGap(in path: String) {
        guard let firstKept, firstKept > 1 else { return }
        let limit = CountFormatter.grouped(exchanges.limit)
        StandardError.write(
            "authtop: \(path.visibleInOneLine): without what came before request #\(firstKept): it has "
                + "the newest \(limit) requests"
        )
    }
}
