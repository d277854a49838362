import ArgumentParser
import Basics
import Client
import Model
import Observer
import UI

struct ExportCommand: ParsableCommand {
    enum Format: String, ExpressibleByArgument, CaseIterable {
        /// The exchanges, for browsers and HTTP tools.
        case har
        /// A report for users.
        case markdown
        /// All events, as one array.
        case json
    }

    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Print a recording as HAR, Markdown or JSON, without tokens.",
        discussion: """
            A recording has fingerprints in place of tokens, and so has what is printed.

            Exit codes: 0 done, 2 the file is no recording.
            """
    )

    @Argument(help: "A file of --record.", completion: .file())
    var file: String

    @Option(help: "har: the HTTP exchanges; markdown: a report; json: all events.")
    var format = Format.markdown

    func run() throws {
        let environment = LiveEnvironment()
        let run = try RecordingFile(file).run(in: environment)
        let recording = run.recording
        switch format {
        case .har:
            let version = AuthtopCommand.configuration.version
            let document =
                run.observed.map {
                    HARDocument.json(
                        of: $0.traffic,
                        $0.findings,
                        baseURL: $0.baseURL,
                        version: version
                    )
                }
                ?? HARDocument.json(of: recording, version: version)
            _ = StandardOutput.write(document.serialized)
            run.observed?.traffic.warnOfGap(in: "the archive")
        case .markdown:
            let offset = environment.utcOffsetSeconds
            let report = MarkdownReport(of: recording, utcOffsetSeconds: offset)
            _ = StandardOutput.write(report.text)
        case .json:
            let lines = recording.events.map { EventLine.text(of: $0, causes: CauseText()) }
            _ = StandardOutput.write("[" + lines.joined(separator: ",\n") + "]")
        }
    }
}
