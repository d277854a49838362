import ArgumentParser
import Basics
import Platform
import Profiles
import Proxy

/// What the proxy leaves as it is in messages, and what it adds to them.
struct ProxyMessageOptions: ParsableArguments {
    @Flag(name: .customLong("keep-host"), help: "Leave the Host field of requests as it is.")
    var keepsHost = false

    @Flag(
        name: .customLong("keep-encoding"),
        help: "Leave the Accept-Encoding field of requests as it is; br and zstd cannot be read."
    )
    var keepsEncoding = false

    @Flag(
        name: .customLong("forwarded"),
        help: "Add X-Forwarded-For, X-Forwarded-Host and X-Forwarded-Proto to requests."
    )
    var addsForwarded = false

    @Flag(
        name: .customLong("cors"),
        help: ArgumentHelp(
            """
            Add what answers lack so that pages from this machine, such as of a development server, can \
            read them (CORS). This hides a bug that production will have.
            """
        )
    )
    var addsCORS = false

    @Option(
        name: .customLong("cors-origin"),
        help: ArgumentHelp(
            """
            With --cors, the origin of pages on another machine that can read answers too; may be \
            repeated.
            """,
            valueName: "origin"
        )
    )
    var corsOrigins: [String] = []

    func validate() throws {
        guard corsOrigins.isEmpty || addsCORS else {
            throw ValidationError("--cors-origin is for --cors: add it")
        }
    }

    /// - Returns: `nil` without `--cors`.
    /// - Throws: `CommandFailure` for what is no origin.
    func crossOriginAccess() throws -> CrossOriginAccess? {
        guard addsCORS else { return nil }
        let named = try corsOrigins.map { text throws(CommandFailure) in
            do throws(BackendOriginError) {
                let origin = try BackendOrigin(parsing: text, allowInsecure: true)
                if origin == origin.withoutPath { return origin }
            } catch {
                throw CommandFailure(.badInput, "--cors-origin: \(error.description)")
            }
            throw CommandFailure(
                .badInput,
                "--cors-origin \(text.inOneLine(limit: 80)): an origin has no path: leave it out"
            )
        }
        return CrossOriginAccess(alsoFor: Set(named))
    }
}
