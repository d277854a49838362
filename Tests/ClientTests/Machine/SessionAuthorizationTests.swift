import Model
import Testing

@testable import Basics
@testable import Client
@testable import Profiles

@Suite("ClientMachine: the sign-in with a browser")
struct SessionAuthorizationTests {
    private static let grant = AuthorizationGrant(
        code: Secret("code-1"),
        verifier: CodeVerifier(random: Array(repeating: 1, count: 32)),
        redirectURI: "http://127.0.0.1:1/callback"
    )

    /// A machine that waits for the user.
    private func waiting() throws -> (harness: MachineHarness, id: OperationID) {
        var configuration = SessionConfiguration.testing(logInAtStart: false)
        configuration.needsBrowser = true
        let harness = MachineHarness(configuration: configuration)
        harness.send(.start)
        harness.settle()
        harness.send(.logIn)
        let id = try #require(harness.authorizations.last)
        harness.send(.authorizationPrompted(id, url: "https://a.example/x", isOpened: true))
        return (harness, id)
    }

    private func failure(_ harness: MachineHarness) -> RefreshFailure.Cause? {
        for event in harness.events.reversed() {
            if let failure = (event.kind as? LoginFailed)?.failure { return failure.cause }
        }
        return nil
    }

    @Test("logIn → the browser; neither the lock nor the vault before it, and no request")
    func order() throws {
        let (harness, id) = try waiting()
        harness.settle()
        #expect(harness.state == .signingIn)
        #expect(harness.logins == 0)
        #expect(harness.has("authorizationRequested"))
        // Another process can have the lock all the while.
        harness.vault.lockHeldElsewhere = 1
        harness.send(.authorizationEnded(id, .success(Self.grant)))
        #expect(harness.has("authorizationGranted"))
        harness.advance(2)
        #expect(harness.state == .fresh)
        #expect(harness.grants == [Self.grant])
    }

    @Test(
        "a pushed request that the server does not take ends the sign-in with its cause",
        arguments: [
            (
                Outcome<PushedResponse>.answered(
                    .refused(error: "invalid_scope", description: "x")
                ),
                RefreshFailure.Cause.authorization(
                    .refused(error: "invalid_scope", description: "x")
                )
            ),
            (.unanswered(detail: "reset"), RefreshFailure(.unanswered(detail: "reset")).cause),
        ]
    )
    func pushRefused(outcome: Outcome<PushedResponse>, cause: RefreshFailure.Cause) throws {
        let (harness, id) = try waiting()
        harness.send(.authorizationPushed(id, pushed(outcome, harness)))
        #expect(failure(harness) == cause)
        #expect(harness.cancelledAuthorizations == [id])
        #expect(harness.state == .signedOut(.never))
        // Too late to be of any effect.
        harness.send(.authorizationPushed(id, pushed(outcome, harness)))
        #expect(harness.cancelledAuthorizations == [id])
    }

    @Test("a pushed request that the server takes is followed by the browser")
    func pushAccepted() throws {
        let (harness, id) = try waiting()
        let reference = PushedAuthorization(requestURI: "urn:x")
        harness.send(.authorizationPushed(id, pushed(.answered(.accepted(reference)), harness)))
        #expect(harness.state == .signingIn)
        #expect(harness.cancelledAuthorizations.isEmpty)
        harness.send(.authorizationEnded(id, .success(Self.grant)))
        harness.advance(2)
        #expect(harness.state == .fresh)
    }

    private func pushed(
        _ outcome: Outcome<PushedResponse>,
        _ harness: MachineHarness
    ) -> CompletedExchange<PushedResponse> {
        CompletedExchange(
            outcome: outcome,
            sentAt: harness.moment,
            endedAt: harness.moment,
            serverDate: nil,
            method: "POST",
            target: "/par",
            status: nil
        )
    }

    @Test("the prompt says when the sign-in is given up, and then it is")
    func timeLimit() throws {
        let (harness, id) = try waiting()
        let prompt = harness.events.compactMap { event -> AuthorizationPrompt? in
            event.kind as? AuthorizationPrompt
        }
        #expect(prompt.map(\.expiresAt) == [harness.moment.now.advanced(bySeconds: 300)])
        harness.advance(299)
        #expect(harness.state == .signingIn)
        harness.advance(1)
        #expect(failure(harness) == .authorization(.timedOut(nil)))
        #expect(harness.cancelledAuthorizations == [id])
        #expect(harness.state == .signedOut(.never))
    }

    @Test("a redirect of another sign-in is named when none of this one came")
    func stray() throws {
        let (harness, id) = try waiting()
        harness.send(.authorizationStrayed(id, .otherState))
        #expect(harness.state == .signingIn)
        harness.advance(300)
        #expect(failure(harness) == .authorization(.timedOut(.otherState)))
    }

    @Test("cancelLogIn stops the sign-in, and what comes of it later has no effect")
    func cancelled() throws {
        let (harness, id) = try waiting()
        harness.send(.cancelLogIn)
        #expect(failure(harness) == .authorization(.cancelled))
        #expect(harness.cancelledAuthorizations == [id])
        harness.send(.authorizationEnded(id, .success(Self.grant)))
        harness.advance(400)
        #expect(harness.logins == 0)
        #expect(harness.state == .signedOut(.never))
        harness.send(.cancelLogIn)
        #expect(harness.cancelledAuthorizations == [id])
    }

    @Test("cancelLogIn does not interrupt a login whose code is being sent")
    func tooLate() throws {
        let (harness, id) = try waiting()
        harness.send(.authorizationEnded(id, .success(Self.grant)))
        harness.settle()
        harness.send(.cancelLogIn)
        harness.advance(2)
        #expect(harness.state == .fresh)
    }

    @Test(
        "an id token that breaks a rule fails the login, and the tokens that it came with are revoked"
    )
    func brokenIDToken() throws {
        let (harness, id) = try waiting()
        let failure = IDTokenFailure(.audience, found: "other")
        harness.idToken = IDToken(
            Secret("id-1"),
            check: IDTokenCheck(signature: .withoutKeys, failure: failure)
        )
        harness.send(.authorizationEnded(id, .success(Self.grant)))
        harness.advance(2)
        #expect(self.failure(harness) == .idToken(failure))
        #expect(harness.state == .signedOut(.never))
        #expect(!harness.has("tokensIssued"))
        #expect(harness.revocations.count == 1)
    }

    @Test(
        "an id token whose claims hold is reported, whether or not its signature was checked",
        arguments: [IDTokenSignature.valid(key: "k1"), .withoutKeys, .unchecked(reason: "no keys")]
    )
    func idToken(signature: IDTokenSignature) throws {
        let (harness, id) = try waiting()
        let check = IDTokenCheck(signature: signature)
        harness.idToken = IDToken(Secret("id-1"), check: check)
        harness.send(.authorizationEnded(id, .success(Self.grant)))
        harness.advance(2)
        #expect(harness.state == .fresh)
        let reports = harness.events.compactMap { event -> IDTokenReport? in
            event.kind as? IDTokenReport
        }
        #expect(reports.map(\.check) == [check])
        #expect(
            reports.map(\.fingerprint) == [Fingerprinter.testing.fingerprint(of: Secret("id-1"))]
        )
    }

    @Test("a logout stops the sign-in")
    func loggedOut() throws {
        let (harness, id) = try waiting()
        harness.send(.logOut(.this))
        #expect(harness.cancelledAuthorizations == [id])
        harness.advance(400)
        #expect(harness.state == .signedOut(.user))
        #expect(failure(harness) == nil)
    }

    @Test(
        "a sign-in that fails leaves everything as it was",
        arguments: [
            (AuthorizationFailure.refused(error: "access_denied", description: nil), .refused),
            (.rejected(.otherIssuer), .heldBack),
            (.notListening(detail: "port 1: in use"), .heldBack),
        ] as [(AuthorizationFailure, RefreshFailure.Class)]
    )
    func failed(cause: AuthorizationFailure, kind: RefreshFailure.Class) throws {
        let (harness, id) = try waiting()
        let failure = RefreshFailure(.authorization(cause))
        harness.send(.authorizationEnded(id, .failure(failure)))
        #expect(self.failure(harness) == .authorization(cause))
        #expect(failure.kind == kind)
        #expect(harness.state == .signedOut(.never))
        harness.send(.logIn)
        #expect(harness.authorizations.count == 2)
    }
}
