import ArgumentParser
import Glibc
import Lifecycle
import Observation
import Recordings
import Sessions
import Synchronization
import Timekeeping
import Tokens

/// What is kept of an app's traffic: its recording, and the files that are written at the end.
final class TrafficEvidence: Sendable {
    private let recorder: EventRecorder?
    private let options: EvidenceOptions
    private let baseURL: String
    private let problem = Mutex<String?>(nil)

    /// - Parameters:
    ///   - recorder: Writes the recording, or `nil` for none.
    ///   - options: Name the files.
    ///   - baseURL: The base URL of the backend.
    /// - Throws: `CommandFailure` if there is a file of such a name.
    init(recorder: EventRecorder?, options: EvidenceOptions, baseURL: String) throws {
        self.baseURL = baseURL
        self.recorder = recorder
        self.options = options
        let named = [("--har", options.har), ("--write-profile", options.writtenProfile)]
        for (option, path) in named {
            guard let path, access(path, F_OK) == 0 else { continue }
            throw CommandFailure(
                .badInput,
                "\(option) \(path): it exists; name another file, or remove it"
            )
        }
    }

    /// Records what was observed.
    func note(_ input: ObservationInput, at moment: Moment) {
        guard let problem = recorder?.note(input, at: moment) else { return }
        self.problem.withLock { $0 = problem }
    }

    /// Returns why the recording has stopped, once.
    func takeProblem() -> String? { problem.withLock { $0.take() } }

    /// Ends the recording, and writes the other files.
    ///
    /// - Throws: `CommandFailure` if one of them cannot be written.
    func finish(_ store: ObservationStore, at moment: Moment) async throws {
        recorder?.finish(at: moment)
        if let problem = takeProblem() { StandardError.write("authtop: \(problem)") }
        if let path = options.har {
            let version = AuthtopCommand.configuration.version
            let document = HARDocument.json(
                of: await store.traffic,
                await store.findings,
                baseURL: baseURL,
                version: version
            )
            try PrivateFile(path: path).create(document.serialized + "\n")
        }
        if let path = options.writtenProfile {
            guard let profile = LearnedProfile(of: await store.traffic, at: baseURL) else {
                throw CommandFailure(
                    .notSo,
                    "--write-profile: no login and no renewal was seen, so there is no profile"
                )
            }
            try PrivateFile(path: path).create(profile.text)
            for gap in profile.missing { StandardError.write("authtop: \(path): \(gap) was seen") }
        }
    }
}
