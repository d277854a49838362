import Dialects

/// Finds out which dialect a request is written in.
struct SandboxRoutes: Sendable {
    enum Route: Sendable {
        case exchange(ServedDialect, RecognisedRequest)
        /// The sandbox's own: what it knows.
        case state
        /// The sandbox's own: how the faults are set.
        case faults
        /// The sandbox's own: the faults are to be set so.
        case setFaults(body: [UInt8])
        /// The sandbox's own: what it serves.
        case index
        /// The path is right and the method is not.
        case wrongMethod
        /// More than one dialect has it.
        case ambiguous([String])
        case unknown
    }

    /// In front of everything that is the sandbox's own.
    static let ownPrefix = "/__sandbox"
    static let statePath = ownPrefix + "/state"
    static let faultsPath = ownPrefix + "/faults"

    let dialects: [ServedDialect]
    let primary: String?

    func route(_ request: WireRequest) -> Route {
        if request.path == "/" { return .index }
        if request.path.hasPrefix(Self.ownPrefix) { return own(request) }
        for served in dialects {
            let prefix = "/\(served.dialect.name)"
            guard request.target.hasPrefix(prefix + "/") else { continue }
            var inner = request
            inner.target = String(request.target.dropFirst(prefix.count))
            return route(inner, among: [(served, served.dialect)])
        }
        if let primary {
            return route(
                request,
                among: dialects.filter { $0.own.name == primary }.map { ($0, $0.dialect) }
            )
        }
        return route(request, among: dialects.map { ($0, $0.own) })
    }

    private func own(_ request: WireRequest) -> Route {
        switch (request.path, request.method) {
        case (Self.statePath, "GET"), (Self.statePath, "HEAD"): .state
        case (Self.faultsPath, "GET"), (Self.faultsPath, "HEAD"): .faults
        case (Self.faultsPath, "POST"): .setFaults(body: request.body)
        case (Self.statePath, _), (Self.faultsPath, _): .wrongMethod
        default: .unknown
        }
    }

    private func route(
        _ request: WireRequest,
        among candidates: [(served: ServedDialect, dialect: Dialect)]
    ) -> Route {
        let found = candidates.compactMap { candidate in
            candidate.dialect.recognise(request).map { (candidate.served, $0) }
        }
        switch found.count {
        case 0:
            let isKnown = candidates.contains { $0.dialect.paths.contains(request.path) }
            return isKnown ? .wrongMethod : .unknown
        case 1:
            return .exchange(found[0].0, found[0].1)
        default:
            return .ambiguous(found.map { "/\($0.0.dialect.name)\(request.path)" })
        }
    }
}
