import Basics
import FoundationEssentials
import Profiles

/// The sandbox's own responses, which belong to no dialect.
extension WireResponse {
    /// Returns `{"detail": …}`, the format in which FastAPI reports errors.
    static func detail(_ status: Int, _ message: String) -> WireResponse {
        .json(["detail": .string(message)], status: status)
    }

    /// Returns the response for a path of several dialects if the request does not identify one of
    /// them.
    static func ambiguous(_ paths: [String]) -> WireResponse {
        detail(
            404,
            "More than one dialect has this path, and the request does not identify one of them: "
                + "it has none of their tokens. Put a name before the path (\(paths.joined(separator: ", ")))"
                + ", use the host NAME.localhost, or start the sandbox with --dialect NAME"
        )
    }

    /// The response to a request that does not send a captured value as the profile has it.
    static func forbidden(_ problem: SentCaptureProblem) -> WireResponse {
        switch problem {
        case .missing(let name): detail(403, "The value of {\(name)} is missing")
        case .different(let name): detail(403, "The values of {\(name)} differ")
        }
    }

    static func json(_ status: Int, _ value: some Encodable) -> WireResponse {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let body = try? encoder.encode(value) else { return detail(500, "Not encodable") }
        return WireResponse(status: status, headers: [.json], body: Array(body))
    }

    /// The response to a feed request that is not an upgrade (RFC 9110 section 15.5.22).
    static var upgradeRequired: WireResponse {
        var response = detail(426, "Upgrade Required")
        response.headers += [
            WireHeader("Upgrade", "websocket"),
            WireHeader("Connection", "Upgrade"),
            WireHeader("Sec-WebSocket-Version", "13"),
        ]
        return response
    }
}

/// The services of a sandbox, to be shown in a browser.
struct SandboxIndex: Sendable, Encodable {
    struct Entry: Sendable, Encodable {
        let name: String
        let title: String
        let paths: [String]
    }

    let dialects: [Entry]
    let state: String
    let faults: String

    init(_ routes: SandboxRoutes) {
        dialects = routes.dialects.map { served in
            Entry(
                name: served.own.name,
                title: served.own.title,
                paths: served.dialect.paths.sorted().map { "/\(served.own.name)\($0)" }
            )
        }
        state = SandboxRoutes.statePath
        faults = SandboxRoutes.faultsPath
    }
}
