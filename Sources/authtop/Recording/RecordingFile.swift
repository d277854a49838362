import Basics
import Glibc
import Model
import Observer
import Profiles

/// A recording that the command line names, or an archive of another tool.
struct RecordingFile {
    let path: String
    private let file: UnpackedFile
    private var bytes: [UInt8] { file.bytes }

    /// - Throws: `CommandFailure` if the file cannot be read.
    init(_ path: String) throws {
        self.path = path
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CommandFailure(.badInput, "\(path): \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        let size = lseek(descriptor, 0, SEEK_END)
        guard size >= 0, size <= Recording.sizeLimit, lseek(descriptor, 0, SEEK_SET) == 0,
            let bytes = FileTrust.contents(of: descriptor, limit: size)
        else {
            throw CommandFailure(
                .badInput,
                "\(path): expected a readable file of at most \(Recording.sizeLimit >> 30) GiB"
            )
        }
        file = try UnpackedFile(bytes, at: path)
    }

    /// Whether it is an HTTP archive, by its name or its beginning.
    var isArchive: Bool {
        let name = path.asciiLowercased
        let start = String(decoding: bytes.prefix(1_024), as: UTF8.self)
        return [".har", ".harp", ".har.gz", ".zip"].contains(where: name.ends(with:))
            || start.contains("\"log\"") && !start.contains("\"authtop\"")
    }

    /// Reads it.
    ///
    /// - Parameters:
    ///   - dialect: Says how an archive is read, with what the paths of its backend begin with if
    ///     that is known; `nil` to go by common names.
    ///   - environment: The names of tokens are this installation's.
    /// - Returns: The recorded run.
    /// - Throws: `CommandFailure` with the line or the entry that is not as expected.
    func run(
        speaking dialect: (dialect: Dialect, basePath: String?)? = nil,
        in environment: LiveEnvironment
    ) throws -> RecordedRun {
        if isArchive { return RecordedRun(try captured(speaking: dialect, in: environment)) }
        guard dialect == nil else {
            throw CommandFailure(
                .badInput,
                "\(path): --profile is for archives of other tools; a recording has been read"
            )
        }
        let run: RecordedRun
        do throws(RecordingProblem) {
            run = try RecordedRun(reading: bytes)
        } catch {
            throw CommandFailure(.badInput, "\(path): line \(error.line): \(error.message)")
        }
        if run.recording.end == nil {
            StandardError.write("authtop: \(path): the recorded run was cut off at its last event")
        }
        return run
    }

    private func captured(
        speaking dialect: (dialect: Dialect, basePath: String?)?,
        in environment: LiveEnvironment
    ) throws -> ObservedRun {
        guard bytes.count <= HARCapture.sizeLimit else {
            let size = HARCapture.sizeLimit >> 20
            throw CommandFailure(.badInput, "\(path): expected an archive of at most \(size) MiB")
        }
        let recognition = try environment.catalogue.recognition()
        let capture: HARCapture
        var left = HARCapture.sizeLimit
        do throws(HARProblem) {
            capture = try HARCapture(reading: bytes, by: recognition) { name in
                let body = file.neighbor(named: name, limit: left)
                left -= body?.count ?? 0
                return body
            }
        } catch {
            throw CommandFailure(.badInput, "\(path): \(error.place): \(error.message)")
        }
        guard !capture.isOurs else {
            throw CommandFailure(
                .badInput,
                "\(path): authtop wrote this archive: it has fingerprints in place of tokens, by "
                    + "which nothing can be judged; replay the recording of --record in its place, or "
                    + "read _findings in its entries"
            )
        }
        let run = ObservedRun(
            ObservationMachine.Configuration(
                profile: dialect?.dialect.name ?? "app",
                dialect: dialect?.dialect.name,
                baseURL: capture.origin ?? "",
                recognition: recognition
            ),
            reading: capture,
            by: TrafficReader(
                fingerprinter: environment.fingerprinter(),
                recognition: recognition,
                dialect: dialect?.dialect,
                basePaths: dialect.map {
                    [$0.basePath ?? Self.basePath(of: $0.dialect, in: capture)]
                } ?? []
            )
        )
        warn(of: capture, run)
        return run
    }

    /// The most entries that are named each.
    private static let namedEntries = 5

    /// Says what the archive lacks.
    private func warn(of capture: HARCapture, _ run: ObservedRun) {
        func warn(_ text: String) {
            StandardError.write("authtop: \(path): \(text)")
        }
        for problem in capture.leftOut.prefix(Self.namedEntries) {
            warn("left out: \(problem.place): \(problem.message)")
        }
        let more = capture.leftOut.count - Self.namedEntries
        if more > 0 { warn("left out \(more) more entries") }
        if capture.count > 0, !capture.hasCredentials, !run.traffic.hasTokensInHeaders {
            warn(
                "no request has Authorization or Cookie: if the app sends them, export the archive "
                    + "with sensitive data"
            )
        }
        if capture.redacted > 0 {
            let subject = capture.redacted == capture.count ? "nothing" : "little"
            warn(
                "in \(capture.redacted) of \(capture.count) exchanges a tool has put something like "
                    + "[redacted] in the place of tokens: \(subject) can be judged without them; "
                    + "export the archive with sensitive data"
            )
        }
    }

    /// The prefix of a backend's paths: that with which most requests are its dialect's.
    private static func basePath(of dialect: Dialect, in capture: HARCapture) -> String {
        var counts: [String: Int] = [:]
        for step in capture.steps {
            guard case .requestHead(let head, _, _) = step.input.kind else { continue }
            for prefix in prefixes(of: head.target) {
                var request = head
                request.target = String(head.target.part(after: prefix) ?? "")
                if dialect.recognize(request) != nil { counts[prefix, default: 0] += 1 }
            }
        }
        return counts.max { left, right in
            (left.value, right.key.count) < (right.value, left.key.count)
        }?.key ?? ""
    }

    /// The first segments of a path, from none to five.
    private static func prefixes(of target: String) -> [String] {
        let segments = target.part(before: "?").parts(at: "/").dropLast().prefix(5)
        return (0...segments.count).map { count in
            segments.prefix(count).map { "/\($0)" }.joined()
        }
    }
}
