/// Takes out of a line what may be a secret, whoever wrote it.
///
/// The last of several guards: what is logged is made without tokens to begin with.
enum Redactor {
    static let mark = "‹redacted›"

    /// The line, fit for a file that may be sent to somebody.
    static func redacted(_ line: String) -> String {
        // Fingerprints have 8 characters, and stay.
        let webToken = /[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]*/
        let credential = /(?i)((?:bearer|basic)[ +]+)[A-Za-z0-9._~+\/=\-]{9,}/
        let named =
            /(?i)((?:token|secret|password|passwd|jwt|code|cookie|authorization|key)["']?[ ]*[=:][ ]*["']?)[^\s"'&;,<>‹›{}\[\]]{9,}/
        return
            line.replacing(webToken, with: mark)
            .replacing(credential) { match in "\(match.output.1)\(mark)" }
            .replacing(named) { match in "\(match.output.1)\(mark)" }
    }
}
