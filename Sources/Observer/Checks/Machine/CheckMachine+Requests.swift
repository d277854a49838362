import Basics
import Profiles

/// The requests of the steps.
extension CheckMachine {
    struct StepRequest {
        enum Message {
            /// The caller logs in.
            case login
            case wire(WireRequest)
            case feed(FeedRequest)
        }

        let message: Message
        /// The refresh token in it.
        var refresh: RefreshToken?

        init(wire: WireRequest, refresh: RefreshToken? = nil) {
            message = .wire(wire)
            self.refresh = refresh
        }

        init(feed: FeedRequest) { message = .feed(feed) }

        private init(_ message: Message) { self.message = message }

        static let login = StepRequest(.login)

        /// The request, unless it opens the feed.
        var wire: WireRequest? {
            if case .wire(let wire) = message { wire } else { nil }
        }

        var hasProblem: Bool {
            switch message {
            case .login: false
            case .wire(let wire): wire.problem != nil
            case .feed(let feed): feed.problem != nil
            }
        }
    }

    /// Returns the requests of a step; none if the probe session lacks a token, or the profile the request.
    func requests(for step: Step, of probeSession: ProbeSession?) -> [StepRequest] {
        guard let probeSession else { return [] }
        let requests = unchecked(step, probeSession)
        return requests.contains(where: \.hasProblem) ? [] : requests
    }

    private func unchecked(_ step: Step, _ probeSession: ProbeSession) -> [StepRequest] {
        let family = probeSession.families[step.action.family]
        switch step.action {
        case .reach: return [StepRequest(wire: WireRequest(method: "HEAD", target: "/"))]
        case .warm:
            guard let origin = family?.refresh(nil).map({ refresh($0, family).wire?.origin })
            else { return [] }
            let head = WireRequest(method: "HEAD", origin: origin, target: "/")
            return [StepRequest(wire: head), StepRequest(wire: head)]
        case .login where options.logins != .profile: return [.login]
        case .loginWrong:
            let secret = Set(dialect.credentials.filter(\.isSecret).map(\.name))
                .subtracting(dialect.clientCredentials)
            var wrong = credentials
            for name in secret { wrong[name] = wrong[name].map { AccessToken($0).unknown } }
            guard wrong != credentials, let wire = try? dialect.loginRequest(wrong) else {
                return []
            }
            return [StepRequest(wire: wire)]
        case .login:
            guard let wire = try? dialect.loginRequest(credentials) else { return [] }
            return [StepRequest(wire: wire)]
        case .refresh(let generation, _), .refreshUnread(let generation):
            return family?.refresh(generation).map { [refresh($0, family)] } ?? []
        case .refreshTwice(let generation):
            guard let token = family?.refresh(generation) else { return [] }
            return [refresh(token, family), refresh(token, family)]
        case .refreshWith(let kind):
            guard let token = badRefresh(kind, family) else { return [] }
            return [refresh(token, family)]
        case .refreshFor(let resource):
            guard let token = family?.refresh(nil) else { return [] }
            return [refresh(token, family, by: dialect.refreshing(for: resource.url))]
        case .refreshWithoutNonce:
            return family?.refresh(nil).map { [refresh($0, family)] } ?? []
        case .use(let generation, _):
            return family?.access(generation).map { [use($0, family)] } ?? []
        case .useWith(let kind):
            guard let token = badAccess(kind, family) else { return [] }
            return [use(token, family)]
        case .logout(let scope, _):
            return logout(scope, family?.refresh(nil), family?.access(nil), family)
        case .logoutUnknown:
            guard let refresh = badRefresh(.unknown, family),
                let access = badAccess(.unknown, family)
            else { return [] }
            return logout(.this, refresh, access, family)
        case .dial(let generation): return dial(family?.access(generation), family)
        case .dialExpired(let generation): return dial(family?.access(generation), family)
        case .dialWith(let kind): return dial(badAccess(kind, family), family)
        case .watch: return []
        }
    }

    private func dial(_ token: AccessToken?, _ family: ProbeFamily?) -> [StepRequest] {
        token.flatMap { token in
            dialect.feedRequest(
                token,
                since: nil,
                captured: family?.captured ?? .none,
                hiding: secrets
            )
        }
        .map { [StepRequest(feed: $0)] } ?? []
    }

    /// Returns the logout of a session that no probe needs any more.
    func logout(of family: ProbeFamily) -> WireRequest? {
        logout(.this, family.refresh(nil), family.access(nil), family).first?.wire
    }

    private func refresh(
        _ token: RefreshToken,
        _ family: ProbeFamily?,
        by other: Dialect? = nil
    ) -> StepRequest {
        StepRequest(
            wire: (other ?? dialect).refreshRequest(
                token,
                credentials: credentials,
                captured: family?.captured ?? .none
            ),
            refresh: token
        )
    }

    private func use(_ token: AccessToken, _ family: ProbeFamily?) -> StepRequest {
        StepRequest(
            wire: dialect.protectedRequest(token, captured: family?.captured ?? .none)
        )
    }

    private func logout(
        _ scope: LogoutScope,
        _ refresh: RefreshToken?,
        _ access: AccessToken?,
        _ family: ProbeFamily?
    ) -> [StepRequest] {
        let wire = dialect.logoutRequest(
            scope,
            refresh: refresh,
            access: access,
            credentials: credentials,
            captured: family?.captured ?? .none
        )
        return wire.map { [StepRequest(wire: $0)] } ?? []
    }

    private func badRefresh(_ kind: BadToken, _ family: ProbeFamily?) -> RefreshToken? {
        switch kind {
        case .empty: RefreshToken(Secret(""))
        case .malformed: RefreshToken(Secret("malformed"))
        case .unknown:
            family?.refresh(nil).map { RefreshToken(AccessToken($0.secret).unknown) }
        case .otherKind: family?.access(nil).map { RefreshToken($0.secret) }
        }
    }

    private func badAccess(_ kind: BadToken, _ family: ProbeFamily?) -> AccessToken? {
        switch kind {
        case .empty: AccessToken(Secret(""))
        case .malformed: AccessToken(Secret("malformed"))
        case .unknown: family?.access(nil).map { AccessToken($0.unknown) }
        case .otherKind: family?.refresh(nil).map { AccessToken($0.secret) }
        }
    }
}

extension OtherResource {
    fileprivate var url: String? {
        switch self {
        case .omitted: nil
        case .other: "https://other.invalid/"
        }
    }
}

extension AccessToken {
    /// A token of the same form with most of its characters changed: those of a UUID that are hex
    /// digits, of a JWT the signature, of another token all letters and digits.
    fileprivate var unknown: Secret {
        let text = secret.reveal()
        guard JSONWebToken(reading: secret) == nil else { return corrupted.secret }
        return Secret(
            String(
                decoding: text.utf8.map { byte in
                    switch Unicode.Scalar(byte) {
                    case "0"..."9": UInt8(ascii: "0") + UInt8(ascii: "9") - byte
                    case "a": UInt8(ascii: "b")
                    case "b"..."f": UInt8(ascii: "a")
                    case "g"..."z": UInt8(ascii: "g")
                    case "A"..."Z": UInt8(ascii: "A")
                    default: byte
                    }
                },
                as: UTF8.self
            )
        )
    }
}
