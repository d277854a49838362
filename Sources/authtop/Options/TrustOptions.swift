import ArgumentParser

/// The certificates that are trusted besides the system's.
struct TrustOptions: ParsableArguments {
    @Option(
        name: .customLong("ca-file"),
        help: "Certificates (PEM) to trust in addition to the system's.",
        completion: .certificates
    )
    var caFile: String?
}
