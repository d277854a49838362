import Basics
import Client
import FoundationEssentials
import Glibc
import Model
import Observer
import UI

/// A recording that is written from the dashboard, to a new file in the working folder.
struct RecordingCopy: Sendable {
    /// The files of one second.
    private static let attempts = 9

    let recording: Recording
    /// The time that the recording covers, in seconds.
    let span: Double
    /// The number of its events of that time.
    let count: Int
    /// The time in the name of the file.
    let stamp: String

    /// Writes the file, and returns a notice for the user.
    func write() -> DashboardMessage {
        let base = "./authtop-\(stamp)"
        let paths = ["\(base).jsonl"] + (2...Self.attempts).map { "\(base)-\($0).jsonl" }
        // The file is created only if there is none, so that a race ends with an error.
        guard let path = paths.first(where: { access($0, F_OK) != 0 }) else {
            return .notice("not written: \(base).jsonl exists", isWarning: true)
        }
        do {
            let recorder = try EventRecorder(
                path: path,
                limit: Recording.sizeLimit,
                header: recording.header
            )
            for event in recording.events {
                guard let problem = recorder.record(event) else { continue }
                unlink(path)
                return .notice("not written: \(problem)", isWarning: true)
            }
            try recorder.finish(at: recording.end?.endedAt ?? recording.header.startedAt)
        } catch let failure as CommandFailure {
            return .notice("not written: \(failure.message)", isWarning: true)
        } catch {
            return .notice("not written: \(error)", isWarning: true)
        }
        let events = CountFormatter.count(count, "event")
        return .notice("wrote \(path): \(events) of \(DurationFormatter.long(span))")
    }
}
