import Dialects

/// Finds out which dialect a request is written in.
struct SandboxRoutes: Sendable {
    enum Route: Sendable {
        case exchange(ServedDialect, RecognisedRequest)
        /// The sandbox's own: what it knows.
        case state
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
        guard request.path == Self.ownPrefix + "/state" else { return .unknown }
        return ["GET", "HEAD"].contains(request.method) ? .state : .wrongMethod
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
