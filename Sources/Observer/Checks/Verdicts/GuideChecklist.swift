import Basics

/// The testing checklist of an integration guide, line by line.
package struct GuideChecklist: Sendable {
    struct Item: Sendable {
        /// The line, as the guide has it.
        let line: String
        let evidence: GuideEvidence
    }

    let items: [Item]

    /// Returns the checklist of the guide behind a built-in dialect, or `nil` if there is none.
    package init?(ofDialect name: String) {
        guard let items = Self.items[name] else { return nil }
        self.items = items.map { Item(line: $0.0, evidence: $0.1) }
    }

    /// The dialects whose guides have a checklist, in alphabetical order.
    package static let dialects: [String] = items.keys.sorted()

    private static let items: [String: [(String, GuideEvidence)]] = [
        "bitbasel": [
            ("Get current token", .shown(.loginBringsBoth)),
            ("Try to access protected endpoint with an old token: 401", .shown(.expiredIs401)),
            ("Refresh token: new access_token", .shown(.refreshBringsAccess)),
            ("Save both access_token and refresh_token after sign in", .shown(.loginBringsBoth)),
            (
                "Add Authorization header to all API requests",
                .shown(.accessIsRequired)
            ),
            ("Handle 401 errors by calling /auth/refresh", .shown(.refreshAfterExpiry)),
            ("Retry original request after successful refresh", .shown(.newAccessWorks)),
            ("Reconnect WebSocket after token refresh", .shown(.feedAfterRefresh)),
            ("Force re-login if refresh token expires", .notTestable(.outlivesCheck)),
            ("Test with expired tokens", .shown(.refreshAfterExpiry)),
        ],
        "creatist": [
            ("Log in to the app", .shown(.loginBringsBoth)),
            ("Wait for token expiration", .shown(.expiredIs401)),
            ("Monitor the app logs for automatic refresh events", .notTestable(.app)),
            ("Verify automatic refresh when timer reaches 0", .notTestable(.app)),
            ("Wait for token to expire naturally", .shown(.expiredIs401)),
            ("Manually trigger refresh via API tools", .shown(.refreshBringsAccess)),
            ("Login Response: Include expires_in field", .shown(.loginStatesLifetime)),
            ("Refresh Endpoint: /auth/refresh with refresh token", .shown(.refreshBringsAccess)),
            (
                "Refresh Response: Include new access_token and expires_in",
                .shown(.refreshStatesLifetime)
            ),
            ("Proper 401 Responses: For expired tokens", .shown(.expiredIs401)),
        ],
        "intellipost": [
            ("Test token expiration handling", .shown(.refreshAfterExpiry)),
            ("Test refresh token rotation", .shown(.oldIsRefused(message: nil))),
            ("Test logout across all user sessions", .notTestable(.noEndpoint)),
            ("Test app behavior when tokens are manually deleted", .notTestable(.app)),
            (
                "Test network failure scenarios during token refresh",
                .notTestable(.appAfterLostAnswer)
            ),
        ],
        "melchat": [
            ("Test 1: Login: saved access + refresh tokens", .shown(.loginBringsBoth)),
            ("Test 1: Login: expires in …", .shown(.loginStatesLifetime)),
            ("Test 2: Auto-Refresh: 401 Unauthorized", .shown(.expiredIs401)),
            ("Test 2: Auto-Refresh: access token refreshed", .shown(.refreshAfterExpiry)),
            ("Test 2: Auto-Refresh: token refreshed, status 200", .shown(.newAccessWorks)),
            ("Test 3: Logout: logout successful", .shown(.logoutEndsRefresh)),
            ("Test 3: Logout: clearing all tokens", .notTestable(.app)),
        ],
        "voltyks": [
            ("Login and save both accessToken and refreshToken", .shown(.loginBringsBoth)),
            (
                "Call RefreshToken endpoint and verify new tokens are saved",
                .shown(.refreshReplacesBoth)
            ),
            (
                "Call RefreshToken again with NEW token - should succeed",
                .shown(.successorWorks)
            ),
            (
                "Call RefreshToken with OLD token - should fail with RefreshTokenMismatch",
                .shown(.oldIsRefused(message: "RefreshTokenMismatch"))
            ),
            (
                "Test auto-refresh when access token expires",
                .shown(.refreshAfterExpiry)
            ),
            (
                "Test redirect to login when refresh token expires",
                .notTestable(.outlivesCheck)
            ),
        ],
    ]
}

/// The evidence whether a backend meets a line of a checklist.
enum GuideEvidence: Sendable, Hashable {
    case shown(GuideRequirement)
    case notTestable(UntestableReason)
}

/// Why no request can show it.
package enum UntestableReason: String, Sendable, Hashable, Codable {
    /// It is the app's part.
    case app
    /// It is the app's part; what the backend does is what `lost` shows.
    case appAfterLostAnswer
    /// A refresh token outlives the check.
    case outlivesCheck
    /// The guide has no endpoint for it.
    case noEndpoint
}

/// Something that a guide's checklist needs of its backend.
enum GuideRequirement: Sendable, Hashable {
    case loginBringsBoth
    case loginStatesLifetime
    case refreshBringsAccess
    case refreshStatesLifetime
    case refreshReplacesBoth
    case newAccessWorks
    case successorWorks
    /// A replaced refresh token is refused, with the backend's message.
    case oldIsRefused(message: String?)
    case accessIsRequired
    case expiredIs401
    case refreshAfterExpiry
    case logoutEndsRefresh
    case feedAfterRefresh

    /// Compares it with what a check has shown.
    func outcome(in report: CheckReport) -> Expectation.Outcome {
        switch self {
        case .loginBringsBoth: login(report) { $0.issued.map { $0.refresh != .absent } }
        case .loginStatesLifetime: login(report, \.statesLifetime)
        case .refreshBringsAccess: refresh(report) { $0.issued != nil }
        case .refreshStatesLifetime:
            refresh(report, \.statesLifetime)
        case .refreshReplacesBoth: refresh(report) { $0.issued?.refresh == .new }
        case .newAccessWorks:
            Self.outcome(report.exchange(of: .refresh) { $0 == .use(2, family: 0) }?.isSuccess)
        case .successorWorks:
            Self.outcome(
                report.exchange(of: .depth) { $0 == .refresh(2, family: 0) }.map {
                    $0.issued != nil
                }
            )
        case .oldIsRefused(let message): oldIsRefused(report, message)
        case .accessIsRequired:
            Self.outcome(
                report.verdicts.lazy
                    .compactMap { verdict -> Bool? in
                        switch verdict {
                        case .acceptsBadAccess(.empty): false
                        case .accessRefusal(.empty, let status): status == 401 || status == 403
                        default: nil
                        }
                    }
                    .first
            )
        case .expiredIs401:
            Self.outcome(
                report.verdicts.contains { if case .accessEnd(_, nil) = $0 { true } else { false } }
                    ? false : report.refusedUse(in: .expiry)?.status.map { $0 == 401 }
            )
        case .refreshAfterExpiry:
            Self.outcome(
                report.verdicts.lazy
                    .compactMap {
                        if case .refreshAfterExpiry(let works) = $0 { works } else { nil }
                    }
                    .first
                    .map { $0 && report.refusedUse(in: .expiry) != nil }
            )
        case .logoutEndsRefresh:
            Self.outcome(
                report.verdicts.lazy
                    .compactMap {
                        if case .logout(let logout) = $0 { logout.refreshLives } else { nil }
                    }
                    .first.map { !$0 }
            )
        case .feedAfterRefresh:
            Self.outcome(report.exchange(of: .feed) { $0 == .dial(nil) }?.isSuccess)
        }
    }

    private static func outcome(_ holds: Bool?) -> Expectation.Outcome {
        holds.map { $0 ? .holds : .fails } ?? .unknown
    }

    private func login(
        _ report: CheckReport,
        _ holds: (CheckExchange) -> Bool?
    ) -> Expectation.Outcome {
        let exchange = report.exchanges.first { $0.action.isLogin && $0.issued != nil }
        return Self.outcome(exchange.flatMap(holds))
    }

    private func refresh(
        _ report: CheckReport,
        _ holds: (CheckExchange) -> Bool
    ) -> Expectation.Outcome {
        Self.outcome(report.exchange(of: .refresh) { $0 == .refresh(1, family: 0) }.map(holds))
    }

    private func oldIsRefused(_ report: CheckReport, _ message: String?) -> Expectation.Outcome {
        switch report.policy.name {
        case .inconclusive, .possible: return .unknown
        case .named(.strict), .named(.strictRevoke), .named(.singleUse): break
        case .named: return .fails
        }
        guard let message else { return .holds }
        let refused = report.exchanges.first { exchange in
            report.policy.evidence.contains(exchange.number) && exchange.isRefusal
        }
        guard case .refused(let found)? = refused?.outcome else { return .unknown }
        return found == message ? .holds : .fails
    }
}

extension CheckReport {
    /// Returns the last exchange of a probe whose answer decides something.
    fileprivate func exchange(
        of probe: ProbeName,
        where matches: (CheckAction) -> Bool
    ) -> CheckExchange? {
        exchanges.last { exchange in
            exchange.probe == probe && matches(exchange.action)
                && (exchange.isSuccess || exchange.isRefusal)
        }
    }

    fileprivate func refusedUse(in probe: ProbeName) -> CheckExchange? {
        exchanges.last { exchange in
            guard exchange.probe == probe, case .use = exchange.action else { return false }
            return exchange.isRefusal
        }
    }
}

extension CheckExchange {
    /// Whether its answer, and not the documentation alone, says how long the access token lives.
    fileprivate var statesLifetime: Bool { facts.accessSource.map { $0 != .assumed } ?? false }
}
