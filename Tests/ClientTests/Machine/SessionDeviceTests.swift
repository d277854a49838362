import Basics
import Model
import Testing

@testable import Client
@testable import Profiles

@Suite("ClientMachine: the sign-in on any device")
struct SessionDeviceTests {
    private static let pending = Outcome<LoginResponse>.answered(
        .authorizationPending(slowsDown: false)
    )
    private static let slowDown = Outcome<LoginResponse>.answered(
        .authorizationPending(slowsDown: true)
    )

    /// A machine that waits for the user, with a code for 60 s and an interval of 5 s.
    private func waiting(_ answers: [Outcome<LoginResponse>] = []) throws -> MachineHarness {
        var configuration = SessionConfiguration.testing(logInAtStart: false)
        configuration.needsBrowser = true
        let harness = MachineHarness(configuration: configuration)
        harness.loginAnswers = answers
        harness.send(.start)
        harness.settle()
        harness.send(.logIn)
        let id = try #require(harness.authorizations.last)
        let authorization = DeviceAuthorization(
            deviceCode: Secret("device-1"),
            userCode: "WDJB-MJHT",
            verificationURI: "https://a.example/device",
            lifetime: 60,
            interval: 5
        )
        harness.send(.deviceAuthorized(id, exchange(.answered(.issued(authorization)), harness)))
        return harness
    }

    private func exchange(
        _ outcome: Outcome<DeviceResponse>,
        _ harness: MachineHarness
    ) -> CompletedExchange<DeviceResponse> {
        CompletedExchange(
            outcome: outcome,
            sentAt: harness.moment,
            endedAt: harness.moment,
            serverDate: nil,
            method: "POST",
            target: "/device",
            status: 200
        )
    }

    private func failure(_ harness: MachineHarness) -> RefreshFailure.Cause? {
        for event in harness.events.reversed() {
            if let failure = (event.kind as? LoginFailed)?.failure { return failure.cause }
        }
        return nil
    }

    /// The times between the requests for the tokens, in whole seconds.
    private func pauses(_ harness: MachineHarness) -> [Int] {
        zip(harness.loginTimes, harness.loginTimes.dropFirst()).map {
            Int(($1 - $0).rounded(.down))
        }
    }

    @Test("shows the code, asks for the tokens after the interval, and is signed in with them")
    func order() throws {
        let harness = try waiting([Self.pending, Self.pending])
        let prompts = harness.events.compactMap { event -> AuthorizationPrompt? in
            event.kind as? AuthorizationPrompt
        }
        #expect(prompts.map(\.device?.userCode) == ["WDJB-MJHT"])
        #expect(prompts.map(\.expiresAt) == [harness.moment.now.advanced(bySeconds: 60)])
        harness.advance(4.9)
        #expect(harness.loginTimes.isEmpty)
        harness.advance(20)
        #expect(harness.loginTimes.count == 3)
        #expect(pauses(harness).allSatisfy { $0 >= 5 })
        #expect(harness.state == .fresh)
        #expect(harness.has("authorizationGranted"))
        #expect(
            harness.grants.map(\.values)
                == Array(repeating: ["device_code": Secret("device-1")], count: 3)
        )
    }

    @Test("each slow_down adds five seconds to the interval, for good")
    func slowDown() throws {
        let harness = try waiting([Self.slowDown, Self.pending, Self.slowDown])
        harness.advance(55)
        #expect(harness.state == .fresh)
        #expect(pauses(harness) == [10, 10, 15])
    }

    @Test("an answer that is lost doubles the interval, and ends nothing")
    func lost() throws {
        let harness = try waiting([.unanswered(detail: "timeout"), Self.pending])
        harness.advance(40)
        #expect(harness.state == .fresh)
        #expect(pauses(harness) == [10, 10])
    }

    @Test("between two requests, other processes have the lock")
    func lock() throws {
        let harness = try waiting([Self.pending, Self.pending, Self.pending])
        harness.advance(7)
        #expect(harness.loginTimes.count == 1)
        #expect(harness.vault.holder == nil)
    }

    @Test(
        "a sign-in that the user denies, or forgets, ends the login",
        arguments: [
            (
                AuthorizationEnd.denied(description: "no"),
                AuthorizationFailure.refused(error: "access_denied", description: "no")
            ), (.expired, .codeExpired),
        ]
    )
    func ended(end: AuthorizationEnd, cause: AuthorizationFailure) throws {
        let harness = try waiting([Self.pending, .answered(.authorizationEnded(end))])
        harness.advance(30)
        #expect(failure(harness) == .authorization(cause))
        #expect(harness.state == .signedOut(.never))
        #expect(harness.loginTimes.count == 2)
    }

    @Test("the code's own end is the end of the sign-in, whatever the server says")
    func expired() throws {
        let harness = try waiting(Array(repeating: Self.pending, count: 100))
        harness.advance(59)
        #expect(harness.state == .signingIn)
        harness.advance(2)
        #expect(failure(harness) == .authorization(.codeExpired))
        let count = harness.loginTimes.count
        harness.advance(100)
        #expect(harness.loginTimes.count == count)
    }

    @Test("cancelLogIn ends it between two requests")
    func cancelled() throws {
        let harness = try waiting(Array(repeating: Self.pending, count: 100))
        harness.advance(7)
        harness.send(.cancelLogIn)
        #expect(failure(harness) == .authorization(.cancelled))
        harness.advance(100)
        #expect(harness.state == .signedOut(.never))
        #expect(harness.loginTimes.count == 1)
    }

    @Test("a request in progress that is cancelled is awaited, and its tokens are revoked")
    func cancelledWhilePolling() throws {
        let harness = try waiting()
        harness.advance(until: { !$0.loginTimes.isEmpty })
        harness.send(.cancelLogIn)
        harness.advance(100)
        #expect(failure(harness) == .authorization(.cancelled))
        #expect(harness.state == .signedOut(.never))
        #expect(harness.loginTimes.count == 1)
        #expect(harness.revocations.count == 1)
    }

    @Test(
        "without a code there is nothing to wait for",
        arguments: [
            (
                Outcome<DeviceResponse>.answered(.rejected(status: 401, message: "invalid_client")),
                RefreshFailure.Cause.credentialsRefused(status: 401, detail: "invalid_client")
            ),
            (.unanswered(detail: "broke"), .unanswered(detail: "broke")),
        ]
    )
    func noCode(outcome: Outcome<DeviceResponse>, cause: RefreshFailure.Cause) throws {
        var configuration = SessionConfiguration.testing(logInAtStart: false)
        configuration.needsBrowser = true
        let harness = MachineHarness(configuration: configuration)
        harness.send(.start)
        harness.settle()
        harness.send(.logIn)
        let id = try #require(harness.authorizations.last)
        harness.send(.deviceAuthorized(id, exchange(outcome, harness)))
        #expect(failure(harness) == cause)
        #expect(harness.state == .signedOut(.never))
    }
}
