import Dialects

/// What a sandbox serves, for whoever opens it in a browser.
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
