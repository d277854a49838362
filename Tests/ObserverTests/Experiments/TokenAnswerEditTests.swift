import FoundationEssentials
import Profiles
import Testing

@testable import Observer

@Suite("The life that an experiment states in place of the backend's")
struct TokenAnswerEditTests {
    /// 2027-01-15T08:00:00Z.
    private static let wall = Date(timeIntervalSince1970: 1_800_000_000)

    private static func shortened(_ body: String, by recognition: Recognition) -> String? {
        TokenAnswerEdit.shortening(Array(body.utf8), to: 20, at: wall, by: recognition.lifetimes)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    private static let stated: [(body: String, shortened: String)] = [
        (#"{"expires_in": 3600}"#, #"{"expires_in": 20}"#),
        (#"{"expiresIn": "3600"}"#, #"{"expiresIn": "20"}"#),
        (#"{"expires_in_ms": 3600000}"#, #"{"expires_in_ms": 20000}"#),
        (#"{"expires_in_ms": 2592000000}"#, #"{"expires_in_ms": 20000}"#),
        (#"{"expires_in_minutes": 60}"#, #"{"expires_in_minutes": 1}"#),
        (#"{"ttl": 3600}"#, #"{"ttl": 20}"#),
        (#"{"exp": 1800003600}"#, #"{"exp": 1800000020}"#),
        (#"{"expires_at": 1800003600000}"#, #"{"expires_at": 1800000020000}"#),
        (
            #"{"tokenExpiry": "2027-01-15T09:00:00Z"}"#,
            #"{"tokenExpiry": "2027-01-15T08:00:20Z"}"#
        ),
    ]

    @Test("is in the unit that the name has", arguments: stated)
    func units(body: String, shortened: String) {
        #expect(Self.shortened(body, by: .builtIn) == shortened)
    }

    @Test(
        "is not stated of anything else, nor in place of a shorter one",
        arguments: [
            #"{"refresh_expires_in": 3600}"#, #"{"rt_expires_in": 3600}"#, #"{"expires_in": 10}"#,
            #"{"subscription_expires_at": 1800003600}"#, #"{"password_expires_in": 90}"#,
        ]
    )
    func others(body: String) {
        #expect(Self.shortened(body, by: .builtIn) == nil)
    }

    @Test("is stated under a name that a file of the user adds")
    func added() throws {
        let text = "[lifetimes.minutes]\naccess = \"good_for\""
        let recognition = try Recognition(adding: text, file: "recognition.toml")
        #expect(Self.shortened(#"{"good_for": 60}"#, by: recognition) == #"{"good_for": 1}"#)
        #expect(Self.shortened(#"{"good_for": 60}"#, by: .builtIn) == nil)
    }
}
