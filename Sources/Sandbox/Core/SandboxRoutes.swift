import Backend
import Basics
import Model
import Profiles

/// Determines the dialect of a request.
struct SandboxRoutes: Sendable {
    enum Route: Sendable {
        case exchange(ServedDialect, RecognizedRequest)
        /// A feed on which a protocol of messages is spoken.
        case spoken(SpokenProtocol, ServedDialect)
        /// A browser's request for an authorization code.
        case authorization(AuthorizationQuery, issuer: String)
        /// A client's request that pushes the parameters of a login.
        case pushed(AuthorizationQuery, credentials: [String: Secret])
        /// A browser's request to end the provider's session.
        case endSession(EndSessionQuery)
        /// A device's request for a code.
        case deviceCode(client: String, issuer: String)
        /// The page where a user enters the code of a device.
        case devicePage(form: [String: String])
        /// The server's statements about itself, or those of an MCP server.
        case metadata(JSONValue, ExchangeKind)
        /// A request to the MCP server at this URL, and the address of its metadata.
        case server(ServedDialect, AccessToken?, url: String, metadata: String)
        /// The registration of a client.
        case registration(body: [UInt8])
        /// The sandbox's own page for its state.
        case state
        /// The sandbox's own page for the settings of faults.
        case faults
        /// A request to set faults.
        case setFaults(body: [UInt8])
        /// The sandbox's own page with what it serves.
        case index
        /// The path exists, but not with this method.
        case wrongMethod
        /// Several dialects have the path, and the request does not identify one of them.
        case ambiguous([String])
        /// The request may have been made by a web page.
        case refused(WireResponse)
        case unknown
    }

    /// The prefix of the sandbox's own paths.
    static let ownPrefix = "/__sandbox"
    static let statePath = ownPrefix + "/state"
    static let faultsPath = ownPrefix + "/faults"

    let dialects: [ServedDialect]
    /// The names of the dialects that are served at the root only if they are the primary one.
    let prefixed: Set<String>
    let primary: String?
    let trust: RequestTrust

    /// Returns the route of a request.
    ///
    /// The dialect is the one whose name precedes the path or `.localhost` in the host, else the
    /// primary one, else the one that the request matches.
    ///
    /// - Parameters:
    ///   - request: The request as received.
    ///   - issuer: Returns the name of the dialect that issued the tokens of a request.
    /// - Returns: The route.
    func route(
        _ request: WireRequest,
        issuer: (RecognizedRequest) -> String?
    ) -> Route {
        if let refusal = trust.refusal(ofHostIn: request) { return .refused(refusal) }
        if request.path == "/" { return .index }
        if request.path.begins(with: Self.ownPrefix) {
            return trust.refusal(ofOwn: request).map { .refused($0) } ?? own(request)
        }
        let route = dialectRoute(request, issuer: issuer)
        switch route {
        case .exchange(_, .feed), .spoken:
            return trust.refusal(ofFeed: request).map { .refused($0) } ?? route
        default: return route
        }
    }

    /// Returns a request as its dialect has it, without the dialect's name in the path.
    func inner(_ request: WireRequest, of served: ServedDialect) -> WireRequest {
        let prefix = "/\(served.dialect.name)"
        guard request.target.begins(with: prefix + "/") else { return request }
        var inner = request
        inner.target = String(request.target.part(after: prefix) ?? "")
        return inner
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

    private func dialectRoute(
        _ request: WireRequest,
        issuer: (RecognizedRequest) -> String?
    ) -> Route {
        if let route = documentRoute(request) { return route }
        for served in dialects {
            let prefix = "/\(served.dialect.name)"
            guard request.target.begins(with: prefix + "/") else { continue }
            let inner = inner(request, of: served)
            if let route = providerRoute(inner, of: served, under: prefix) { return route }
            return route(inner, among: served.ways.map { (served, $0) }, issuer: issuer)
        }
        let subdomain = request.header("Host").flatMap(RequestHost.init)?.subdomain
        for name in [subdomain, primary] {
            guard let served = dialects.first(where: { $0.own.name == name }) else { continue }
            if let route = providerRoute(request, of: served, under: "") { return route }
            return route(request, among: served.ways.map { (served, $0) }, issuer: issuer)
        }
        let atRoot = dialects.filter { !prefixed.contains($0.own.name) }
        return route(request, among: atRoot.map { ($0, $0.written) }, issuer: issuer)
    }

    /// The paths of an authorization server besides those of the dialect's exchanges, or `nil` for
    /// any other path.
    private func providerRoute(
        _ request: WireRequest,
        of served: ServedDialect,
        under prefix: String
    ) -> Route? {
        let origin = "http://\(request.header("Host") ?? "localhost")"
        let issuer = origin + prefix
        if let query = served.own.recognizeAuthorization(request) {
            return .authorization(query, issuer: issuer)
        }
        if let (query, credentials) = served.own.recognizePushed(request) {
            return .pushed(query, credentials: credentials)
        }
        if let query = served.own.recognizeEndSession(request) { return .endSession(query) }
        if let client = served.own.recognizeDevice(request) {
            return .deviceCode(client: client, issuer: issuer)
        }
        if request.method == "GET",
            let spoken = SpokenProtocol.allCases.first(where: { $0.path == request.path })
        {
            return .spoken(spoken, served)
        }
        if request.path == Self.devicePath, ["GET", "POST"].contains(request.method) {
            return .devicePage(form: request.parameters)
        }
        if request.method == "POST", served.hasAuthorization {
            switch request.path {
            case Dialect.servedRegistrationPath: return .registration(body: request.body)
            case MCPPaths.server:
                return .server(
                    served,
                    request.bearerToken,
                    url: issuer + MCPPaths.server,
                    metadata: origin + MCPPaths.resource(under: prefix)
                )
            default: break
            }
        }
        guard request.path == Self.metadataPath, request.method == "GET" else {
            return documentRoute(request, of: served, under: prefix, issuer: issuer)
        }
        return served.own.providerMetadata(issuer: issuer).map { .metadata($0, .serverMetadata) }
    }

    /// The documents whose path precedes that of the issuer, or `nil` for any other path.
    private func documentRoute(_ request: WireRequest) -> Route? {
        guard request.path.begins(with: MCPPaths.wellKnown) else { return nil }
        let host = request.header("Host") ?? "localhost"
        return dialects.lazy
            .compactMap { served in
                let prefix = "/\(served.dialect.name)"
                let issuer = "http://\(host)\(prefix)"
                return documentRoute(request, of: served, under: prefix, issuer: issuer)
            }
            .first
    }

    private func documentRoute(
        _ request: WireRequest,
        of served: ServedDialect,
        under prefix: String,
        issuer: String
    ) -> Route? {
        guard request.method == "GET", request.path.begins(with: MCPPaths.wellKnown),
            served.hasAuthorization
        else { return nil }
        switch request.path {
        case MCPPaths.resource(under: prefix):
            return .metadata(MCPPaths.document(issuer: issuer), .resourceMetadata)
        case MCPPaths.metadata(under: prefix):
            return served.own.providerMetadata(issuer: issuer)
                .map { .metadata($0, .serverMetadata) }
        default: return nil
        }
    }

    /// The path of the page where a user enters the code of a device, after that of the issuer.
    static let devicePath = "/device"

    /// The path of OpenID Connect Discovery, after that of the issuer.
    private static let metadataPath = "/.well-known/openid-configuration"

    private func route(
        _ request: WireRequest,
        among candidates: [(served: ServedDialect, dialect: Shared<Dialect>)],
        issuer: (RecognizedRequest) -> String?
    ) -> Route {
        var found: [(ServedDialect, RecognizedRequest)] = []
        for candidate in candidates where found.last?.0.own.name != candidate.served.own.name {
            guard let recognized = candidate.dialect.value.recognize(request) else { continue }
            found.append((candidate.served, recognized))
        }
        guard !found.isEmpty else {
            let isKnown = candidates.contains { $0.dialect.value.paths.contains(request.path) }
            return isKnown ? .wrongMethod : .unknown
        }
        guard let (served, recognized) = Self.meant(by: request, among: found, issuer: issuer)
        else {
            return .ambiguous(found.map { "/\($0.0.dialect.name)\(request.path)" })
        }
        return .exchange(served, recognized)
    }

    /// Returns the dialect that issued the request's token, or else the only one that the request
    /// matches best; of a refresh with a token that no dialect issued, the first of several.
    private static func meant(
        by request: WireRequest,
        among found: [(ServedDialect, RecognizedRequest)],
        issuer: (RecognizedRequest) -> String?
    ) -> (ServedDialect, RecognizedRequest)? {
        guard found.count > 1 else { return found.first }
        if let own = found.first(where: { issuer($0.1) == $0.0.own.name }) { return own }
        // A token that is not where its dialect has it is still that dialect's to answer.
        for secret in request.possibleTokens {
            let name =
                issuer(.refresh(RefreshToken(secret))) ?? issuer(.protected(AccessToken(secret)))
            if let own = found.first(where: { $0.0.own.name == name }) { return own }
        }
        let fits = found.map { $0.0.own.fit(of: $0.1, in: request) }
        guard let best = fits.max(), best > .incomplete else { return nil }
        let fitting = zip(found, fits).filter { $0.1 == best }.map(\.0)
        if case .refresh? = fitting.first?.1 { return fitting.first }
        return fitting.count == 1 ? fitting[0] : nil
    }
}

/// A dialect as the sandbox serves it.
///
/// It is shared, as its dialects are: each request is compared with them, and they are large.
final class ServedDialect: Sendable {
    /// The dialect as written, which determines its paths at the root.
    var own: Dialect { _read { yield written.value } }
    let written: Shared<Dialect>
    /// The dialect with the sandbox's feed and its request to end a session, if it has none of its
    /// own.
    var dialect: Dialect { _read { yield ways[0].value } }
    /// The dialects by which a request under its name is parsed: with its own feed, and with the
    /// sandbox's event stream in its place.
    let ways: [Shared<Dialect>]
    /// Whether it has a login with a browser.
    let hasAuthorization: Bool
    let policy: BackendPolicy

    init(_ own: Dialect, configuration: SandboxConfiguration) {
        written = Shared(own)
        hasAuthorization = own.hasAuthorization
        let dialect = own.withSandboxFeed().withSandboxSessionEnd()
        ways = [Shared(dialect), Shared(dialect.withSandboxStream())]
        var policy = BackendPolicy(
            of: own,
            accessLifetime: configuration.accessLifetime,
            refreshLifetime: configuration.refreshLifetime,
            reuse: configuration.ownReuse[own.name] ?? configuration.reuse
        )
        if let rotation = configuration.rotation[own.name] { policy.rotation = rotation }
        self.policy = policy
    }
}
