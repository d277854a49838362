import ArgumentParser
import Basics
import Model
import Observer

/// The options for a recording of a run.
struct RecordOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Record all events in a new file of mode 0600, without tokens, for authtop replay.",
            valueName: "file"
        ),
        completion: .file()
    )
    var record: String?

    @Option(
        name: .customLong("record-limit"),
        help: ArgumentHelp(
            "The size at which the recording stops, such as 10M or 1G (default: 100M).",
            valueName: "size"
        )
    )
    var limit: SizeArgument?

    private static let usualLimit = 100 << 20

    func validate() throws {
        guard limit == nil || record != nil else {
            throw ValidationError("--record-limit is for a recording: name its file with --record")
        }
    }

    /// Creates the file of the recording.
    ///
    /// - Parameters:
    ///   - sessions: The sessions of the run.
    ///   - moment: When the recording begins.
    /// - Returns: The recorder, or `nil` if nothing is recorded.
    /// - Throws: `CommandFailure` if the file cannot be created.
    func recorder(of sessions: [Recording.Session], at moment: Moment) throws -> EventRecorder? {
        try recorder(of: Recording.Header(startedAt: moment, sessions: sessions))
    }

    /// Creates the file of a recording with this first line.
    func recorder(of header: some Encodable) throws -> EventRecorder? {
        guard let record else { return nil }
        return try EventRecorder(
            path: record,
            limit: limit?.bytes ?? Self.usualLimit,
            header: header,
            name: "--record "
        )
    }
}

/// A size such as `500k`, `10M` or `1G`, in powers of 1024; a number without a unit is in bytes.
struct SizeArgument: ExpressibleByArgument, Sendable, Hashable {
    let bytes: Int

    private static let units: [(suffix: String, bytes: Int)] = [
        ("G", 1 << 30), ("M", 1 << 20), ("k", 1 << 10), ("", 1),
    ]

    init?(argument: String) {
        let unit = Self.units.first {
            argument.asciiUppercased.ends(with: $0.suffix.asciiUppercased)
        }
        guard let unit, let count = Int(argument.dropLast(unit.suffix.count)), count > 0,
            count <= Recording.sizeLimit / unit.bytes
        else { return nil }
        bytes = count * unit.bytes
    }
}
