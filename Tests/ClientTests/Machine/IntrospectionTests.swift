import Basics
import FoundationEssentials
import Testing

@testable import Client
@testable import Model
@testable import Profiles

@Suite("Session: introspection")
struct IntrospectionTests {
    private static func signedIn() -> MachineHarness {
        let configuration = SessionConfiguration.testing(questions: TokenQuestion.allCases)
        return MachineHarness.signedIn(configuration: configuration) { $0.refreshLifetime = 86_400 }
    }

    private static func introspections(_ harness: MachineHarness) -> [TokenQuestion:
        IntrospectionResult]
    {
        harness.events.reduce(into: [:]) { introspections, event in
            guard let introspection = event.kind as? IntrospectionResult else { return }
            introspections[introspection.question] = introspection
        }
    }

    /// The end of the access token as believed, by the wall clock.
    private static func accessEnd(_ harness: MachineHarness) throws -> Double {
        let end = try #require(harness.machine.held?.access?.statedEnd)
        let wall = harness.moment.wall.timeIntervalSince1970
        return wall + end.seconds(since: harness.moment.now)
    }

    @Test("each question is asked with its own token, and its answer stands in the log")
    func asked() throws {
        let harness = Self.signedIn()
        let pair = try #require(harness.machine.held)
        harness.statements[.access] = .stated(TokenStatement(isActive: true))
        harness.statements[.refresh] = .stated(TokenStatement(isActive: true))
        harness.statements[.user] = .stated(TokenStatement(subject: pair.subject ?? "7"))
        let before = harness.count("request")
        harness.send(.introspect)
        harness.advance(1)
        #expect(harness.questions.map(\.question) == [.access, .refresh, .user])
        #expect(
            harness.questions.map(\.token) == [
                pair.tokens.access.secret, pair.tokens.refresh?.secret, pair.tokens.access.secret,
            ]
        )
        #expect(harness.count("request") == before + 3)
        let introspections = Self.introspections(harness)
        #expect(introspections.count == 3)
        #expect(introspections.values.allSatisfy { $0.differences.isEmpty })
        #expect(harness.snapshot.introspections[.refresh] != nil)
    }

    @Test(
        "an end that differs by more than the clocks can is named, with its direction",
        arguments: [(-40.0, -40.0), (40, 40), (2, nil), (-2, nil)] as [(Double, Double?)]
    )
    func end(later: Double, expected: Double?) throws {
        let harness = Self.signedIn()
        let end = try Self.accessEnd(harness) + later
        harness.statements[.access] = .stated(TokenStatement(isActive: true, expiresAt: end))
        harness.send(.introspect)
        harness.advance(1)
        let introspection = try #require(Self.introspections(harness)[.access])
        guard let expected else {
            #expect(introspection.differences.isEmpty)
            return
        }
        let difference = try #require(introspection.endDifference)
        #expect(abs(difference - expected) < 2)
    }

    @Test("a token that the server does not accept is named, and the session goes on")
    func inactive() {
        let harness = Self.signedIn()
        for question in [TokenQuestion.access, .refresh] {
            harness.statements[question] = .stated(TokenStatement(isActive: false))
        }
        harness.statements[.user] = .refused
        harness.send(.introspect)
        harness.advance(1)
        let introspections = Self.introspections(harness)
        for question in [TokenQuestion.access, .user] {
            #expect(introspections[question]?.differences == [.inactive])
        }
        // It may be a server that states access tokens alone.
        #expect(introspections[.refresh]?.differences == [])
        #expect(harness.state == .fresh)
        #expect(harness.refreshes.isEmpty)
    }

    @Test("what cannot be read, and what concerns a replaced token, contradicts nothing")
    func silent() {
        let harness = Self.signedIn()
        harness.statements[.access] = .unusable
        harness.statements[.refresh] = .refused
        harness.send(.introspect)
        harness.advance(1)
        #expect(Self.introspections(harness).values.allSatisfy { $0.differences.isEmpty })
        harness.statements[.access] = .stated(TokenStatement(isActive: false))
        harness.send(.introspect)
        harness.send(.refreshNow)
        harness.advance(1)
        #expect(harness.generation == 2)
        #expect(harness.snapshot.introspections[.refresh] == nil)
    }

    @Test("without a session nothing is asked")
    func signedOut() {
        let harness = Self.signedIn()
        harness.send(.logOut(.this))
        harness.advance(2)
        harness.send(.introspect)
        harness.advance(1)
        #expect(harness.questions.isEmpty)
    }
}
