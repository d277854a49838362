import Basics
import Profiles

@testable import Backend
@testable import Model

/// The instant at which every test begins, in seconds since 1970: on a whole second.
let start = 1_800_000_000.0

/// The session was not as the test needs it.
struct Unexpected: Error {}

extension BackendPolicy {
    /// 60 s and 600 s, always rotating, strictly; the tokens are opaque.
    static func testing(
        _ name: String = "acme",
        formats: TokenFormats = TokenFormats(access: .opaque, refresh: .opaque),
        slides: Bool = true,
        rotation: RotationBehavior = .replaces,
        reuse: ReusePolicy = .strict
    ) -> BackendPolicy {
        BackendPolicy(
            name: name,
            credentials: ["email", "password"],
            formats: formats,
            accessLifetime: 60,
            refreshLifetime: 600,
            refreshSlides: slides,
            rotation: rotation,
            reuse: reuse
        )
    }
}

extension Fingerprinter {
    static let testing = Fingerprinter(salt: Array(repeating: 7, count: 16))
}

/// A backend by reference, because an expectation may not change a value.
final class Bench {
    static let credentials = ["email": Secret("user@example.com"), "password": Secret("password")]

    private var backend: AuthBackend

    init(accounts: [Account] = [.sandbox], seed: UInt64 = 1) {
        backend = AuthBackend(accounts: accounts, seed: seed)
    }

    var endings: Int { backend.endings }
    var tokenCount: Int { backend.tokenCount }

    func forgetOver(at now: Double) { backend.forgetOver(at: now) }

    func issuer(ofTokensIn request: RecognizedRequest) -> String? {
        backend.issuer(ofTokensIn: request)
    }

    func login(
        _ credentials: [String: Secret],
        in policy: BackendPolicy,
        at now: Double = start
    ) -> IssuedFacts? {
        backend.login(credentials, in: policy, at: now)
    }

    func login(in policy: BackendPolicy, at now: Double = start) throws -> IssuedFacts {
        guard let facts = login(Self.credentials, in: policy, at: now) else { throw Unexpected() }
        return facts
    }

    func refresh(
        _ token: RefreshToken?,
        in policy: BackendPolicy,
        at now: Double = start
    ) -> RefreshOutcome {
        backend.refresh(token, in: policy, at: now)
    }

    func renew(
        _ token: RefreshToken?,
        in policy: BackendPolicy,
        at now: Double = start
    ) throws -> IssuedFacts {
        guard case .issued(let facts) = refresh(token, in: policy, at: now) else {
            throw Unexpected()
        }
        return facts
    }

    func access(_ token: AccessToken?, in policy: BackendPolicy, at now: Double = start)
        -> AccessOutcome
    {
        backend.access(token, in: policy, at: now)
    }

    func protected(
        _ token: AccessToken?,
        in policy: BackendPolicy,
        at now: Double = start
    ) -> AccessOutcome {
        backend.protected(token, in: policy, at: now)
    }

    func opens(_ token: AccessToken, in policy: BackendPolicy, at now: Double = start) -> Bool {
        guard case .granted = access(token, in: policy, at: now) else { return false }
        return true
    }

    func logout(
        _ scope: LogoutScope,
        refresh: RefreshToken? = nil,
        access: AccessToken? = nil,
        in policy: BackendPolicy,
        at now: Double = start
    ) -> Bool {
        backend.logout(scope, refresh: refresh, access: access, in: policy, at: now)
    }

    func revoke(session: String) -> Bool {
        backend.revoke(session: session, at: start)
    }

    func handle(
        _ request: RecognizedRequest,
        in policy: BackendPolicy,
        at now: Double = start
    ) -> BackendResponse {
        backend.handle(request, in: policy, at: now)
    }

    /// A whole exchange under one fault; the dialect's answer is an empty 200.
    func exchange(_ request: RecognizedRequest, in policy: BackendPolicy, under fault: Fault)
        -> BackendExchange
    {
        var random = SeededGenerator(seed: 1)
        var exchange = backend.begin(request, in: policy, under: [fault], drawing: &random)
        backend.finish(
            &exchange,
            writing: { _ in WireResponse(status: 200) },
            in: policy,
            under: [fault],
            drawing: &random,
            at: start
        )
        return exchange
    }

    func state(at now: Double = start) -> BackendState {
        backend.state(fingerprints: .testing, at: now)
    }
}
