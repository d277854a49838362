import ArgumentParser
import Dashboard
import Lifecycle
import Recordings

struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Show a recording in the dashboard, as it was, or print its events.",
        discussion: """
            Space plays and pauses, . and , step to the next event and back, Right and Left seek by \
            10 s, + and - change the speed, 0 and $ go to the start and the end. Nothing is sent.

            Exit codes: 0 done, 2 the file is no recording.
            """
    )

    @Argument(help: "A file of --record.", completion: .file())
    var file: String

    @Flag(help: "Print events as JSON lines in place of a screen; the default without a terminal.")
    var json = false

    @OptionGroup var appearance: AppearanceOptions

    func run() async throws {
        let recording = try RecordingFile.read(file)
        if recording.end == nil {
            StandardError.write("authtop: \(file): the recorded run was cut off at its last event")
        }
        guard !json, StandardOutput.isTerminal else {
            for event in recording.events {
                let line = EventLine.text(of: event, causes: CauseText())
                guard StandardOutput.write(line) else { return }
            }
            return
        }
        let loop = try await ReplayLoop(
            of: recording,
            appearance: appearance,
            in: LiveEnvironment()
        )
        if let signal = await loop.run() { ProgramExit.leave(128 + signal) }
    }
}
