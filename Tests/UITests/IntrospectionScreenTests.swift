import Basics
import Model
import Testing

@testable import Profiles
@testable import UI

@Suite("Screens: introspection")
struct IntrospectionScreenTests {
    private static func script(
        _ introspections: [IntrospectionResult],
        questions: [TokenQuestion]? = TokenQuestion.allCases
    ) -> EventScript {
        var script = EventScript()
        script.capabilities(dialect: "oauth2", questions: questions)
        script.wait(until: 44)
        script.logIn()
        script.wait(until: 50)
        for introspection in introspections { script.add(introspection) }
        script.wait(until: 52)
        return script
    }

    private static let contradicting = [
        IntrospectionResult(
            question: .access,
            token: Fingerprint(digits: "a1c3094e"),
            answer: .stated(
                TokenStatement(
                    isActive: true,
                    expiresAt: 1_763_733_624,
                    scope: "read \u{1B}[2Jwrite",
                    subject: "7",
                    clientID: "s6BhdRkqt3",
                    tokenType: "Bearer"
                )
            ),
            differences: [.end(seconds: -40)]
        ),
        IntrospectionResult(
            question: .refresh,
            token: Fingerprint(digits: "91bb04c7"),
            answer: .stated(TokenStatement(isActive: false))
        ),
        IntrospectionResult(
            question: .user,
            token: Fingerprint(digits: "a1c3094e"),
            answer: .refused(status: 401),
            differences: [.inactive]
        ),
    ]

    @Test(
        "stand beside what is believed, with what differs",
        arguments: [(120, 40), (80, 24), (60, 16)]
    )
    func introspections(columns: Int, rows: Int) throws {
        let script = Self.script(Self.contradicting)
        var state = DashboardState(script)
        #expect(state.update(.key("I")) == [.introspect])
        try expectScreen(
            state.screen(columns, rows, script.now),
            named: "introspection-\(columns)x\(rows)"
        )
    }

    @Test("are said to be asked for only while they are, not after a renewal")
    func renewed() {
        var script = Self.script([])
        var state = DashboardState(script)
        #expect(state.update(.key("I")) == [.introspect])
        #expect(state.screen(120, 40, script.now).text.contains("asking …"))
        let past = script.events.count
        script.renew(rotated: true)
        script.add(Self.contradicting[0])
        for event in script.events.dropFirst(past) { _ = state.update(.event(event)) }
        let renewed = state.screen(120, 40, script.now).text
        #expect(!renewed.contains("asking …"))
        #expect(!renewed.contains("by the server's clock"), "of the token that was replaced")
        #expect(renewed.contains("nothing yet: I asks about these"))
        #expect(state.update(.key("I")) == [.introspect])
        #expect(state.screen(120, 40, script.now).text.contains("asking …"))
    }

    @Test("are asked for on a read-only run too, and again with the same key")
    func readOnly() {
        let script = Self.script([])
        var configuration = DashboardConfiguration()
        configuration.isReadOnly = true
        var state = DashboardState(configuration: configuration)
        for event in script.events { _ = state.update(.event(event)) }
        #expect(state.update(.key("r")).isEmpty)
        #expect(state.update(.key("I")) == [.introspect])
        #expect(state.update(.key("I")) == [.introspect])
    }

    @Test(
        "are not offered where the profile names no request for them",
        arguments: [nil, []] as [[TokenQuestion]?]
    )
    func notOffered(questions: [TokenQuestion]?) {
        let script = Self.script([], questions: questions)
        var state = DashboardState(script)
        #expect(state.update(.key("I")).isEmpty)
        #expect(state.notice?.message.contains("names no introspection") == true)
    }
}
