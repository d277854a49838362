import Basics
import Client
import Model
import Profiles
import Testing
import UI

@testable import authtop

@Suite("An access token for a script, event by event")
struct TokenOperationTests {
    private static let outage = RefreshFailure(.unavailable(status: 503, detail: "unable"))
    private static let later = Instant.origin.advanced(bySeconds: 60)
    private static let grant = TokenGrant(
        token: AccessToken(Secret("abc")),
        generation: 2,
        usableUntil: nil
    )

    private static func script(canLogIn: Bool = false) -> OperationScript<TokenOperation> {
        OperationScript(TokenOperation(profile: "acme", canLogIn: canLogIn))
    }

    @Test("is asked for at once while no renewal is due")
    func fresh() {
        var script = Self.script()
        #expect("\(script.enter(.fresh))" == "wait")
        let plan = script.tell(.renewalPlanned(.scheduled(at: Self.later, .accessTokenEnds)))
        #expect("\(plan)" == "await token")
        script.hold(generation: 2)
        #expect("\(script.grant(.success(Self.grant)))" == "granted")
    }

    @Test("is asked for after a renewal that is due, whether it succeeded or not")
    func due() {
        var script = Self.script()
        script.enter(.fresh)
        #expect("\(script.tell(.renewalPlanned(.underWay)))" == "wait")
        #expect(
            "\(script.tell(.renewalPlanned(.scheduled(at: .origin, .accessTokenEnds))))" == "wait"
        )
        let failed = RetryOutlook(failures: 1, failure: Self.outage, nextAt: Self.later)
        #expect("\(script.enter(.retrying(failed)))" == "await token")
    }

    @Test("waits until its pair is known, and stored")
    func stored() {
        var script = Self.script()
        script.enter(.blocked)
        #expect("\(script.grant(.success(Self.grant)))" == "wait")
        let disk = VaultProblem(message: "no space left on the device")
        script.hold(generation: 2)
        script.tell(.unsaved(disk))
        #expect("\(script.grant(.success(Self.grant)))" == "wait")
        #expect("\(script.runOut())".hasPrefix("3: acme: renewed, but the new pair could not be"))
        #expect("\(script.tell(.saved))" == "granted")
    }

    @Test("without a session needs credentials, and is refused if they are")
    func signedOut() {
        var without = Self.script()
        let message = "1: acme: signed out; run: authtop login acme"
        #expect("\(without.enter(.signedOut(.never)))" == message)
        var with = Self.script(canLogIn: true)
        #expect("\(with.enter(.signedOut(.never)))" == "send logIn")
        let refused = RefreshFailure(.credentialsRefused(status: 401, detail: "wrong password"))
        #expect("\(with.tell(.loginFailed(refused)))".hasPrefix("1: acme: login failed"))
    }

    @Test("does not log in again after a session that ended in the meantime")
    func ended() {
        var script = Self.script(canLogIn: true)
        script.enter(.blocked)
        let end = script.grant(.failure(.signedOut(.revoked)))
        #expect("\(end)".hasPrefix("1: acme: "))
    }

    @Test(
        "that cannot be had says that the session is kept",
        arguments: [WaitFailure.offline(retryAt: nil), .timedOut]
    )
    func unreachable(failure: WaitFailure) {
        var script = Self.script()
        let outlook = RetryOutlook(failures: 1, failure: Self.outage, nextAt: nil)
        script.enter(.offline(outlook))
        let end = "\(script.grant(.failure(failure)))"
        #expect(end.hasPrefix("3: acme: there is no usable access token"))
        #expect(end.contains("503"))
        #expect(end.hasSuffix("the session is kept"))
    }
}

extension OperationScript {
    fileprivate mutating func grant(_ result: Result<TokenGrant, WaitFailure>) -> OperationStep {
        operation.granted(result, session)
    }

    /// Has a pair, as after a login or a renewal.
    fileprivate mutating func hold(generation: Int) {
        let pair = PairDescription(
            origin: .refresh,
            access: TokenDescription(
                fingerprint: Fingerprint(digits: "3f9c21ab"),
                format: .opaque,
                byteCount: 3,
                claims: [:]
            ),
            refresh: nil,
            issuedAt: moment,
            accessExpiry: nil,
            refreshExpiry: nil,
            usableUntil: nil,
            rotated: false,
            subject: nil,
            displayName: nil
        )
        tell(.tokensIssued(pair), generation: generation)
    }
}
