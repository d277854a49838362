import ArgumentParser

/// The files that are written from what an app's traffic has shown.
struct EvidenceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Write the newest exchanges at the end as a new HTTP archive (HAR), without tokens.",
            valueName: "file"
        ),
        completion: .file()
    )
    var har: String?

    @Flag(
        name: .customLong("every-body"),
        help: """
            Keep the beginning of every body, for --har, --record and the details; without it, only \
            of those with tokens and of refusals. Secrets are replaced, other data is not.
            """
    )
    var keepsEveryBody = false

    @Option(
        name: .customLong("write-profile"),
        help: ArgumentHelp(
            "Write a new profile of the backend at the end, as far as the traffic shows it.",
            valueName: "file"
        ),
        completion: .file()
    )
    var writtenProfile: String?
}
