import Foundation
import Testing

@testable import Basics
@testable import Model

@Suite("An experiment that was recorded")
struct RecordedExperimentTests {
    /// As it is written by users, and as every version has recorded it.
    static let recorded = [
        ("short-life:20", #"{"shortLife":{"seconds":20}}"#),
        ("expire", #"{"expire":{}}"#),
        ("expire-burst", #"{"expireBurst":{}}"#),
        ("lose-answer", #"{"loseAnswer":{"hangs":false}}"#),
        ("lose-answer:hang", #"{"loseAnswer":{"hangs":true}}"#),
        ("slow-refresh:10", #"{"slowRefresh":{"seconds":10}}"#),
        ("refuse-refresh", #"{"refuseRefresh":{}}"#),
        ("blip:503x2", #"{"blip":{"count":2,"status":503}}"#),
        ("limit:5", #"{"limit":{"seconds":5}}"#),
        ("portal", #"{"portal":{}}"#),
        ("cut:1006", #"{"cut":{"code":1006}}"#),
        ("mute", #"{"mute":{}}"#),
        ("no-refresh-token", #"{"noRefreshToken":{}}"#),
        ("skew:+300", #"{"skew":{"seconds":300}}"#),
        ("skew:-90", #"{"skew":{"seconds":-90}}"#),
    ]

    @Test("is read from its scorecard, and written as before", arguments: recorded)
    func scorecard(text: String, json: String) throws {
        let scorecard = Scorecard(
            number: 1,
            experiment: try FaultSetting(parsing: text, at: .app).fault,
            lines: [Scorecard.Line(.renewsOnce, .failed, exchanges: [3, 4])],
            startedAt: Moment(now: .origin, wall: Date(timeIntervalSince1970: 0))
        )
        let data = try JSONEncoder().encode(scorecard)
        let written = try #require(JSONValue(parsing: Array(data)))
        #expect(written.value(at: "experiment") == JSONValue(parsing: Array(json.utf8)))
        let again = try JSONDecoder().decode(Scorecard.self, from: data)
        #expect(again == scorecard)
        #expect(again.experiment.description == text)
    }

    @Test("is an error if this version does not know it")
    func unknown() {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(
                Fault.self,
                from: Data(#"{"explode":{"seconds":3}}"#.utf8)
            )
        }
    }

    @Test(
        "one with the backend is read by the name that it has always had",
        arguments: [
            "expiredToken", "corruptedToken", "replayedToken", "concurrentRefresh", "lostAnswer",
            "cutFeed",
        ]
    )
    func withBackend(name: String) throws {
        let lines = [
            #"{"_0":"\#(name)"}"#,
            #"{"experiment":"\#(name)","verdict":{"unanswered":{}}}"#,
            #"{"experiment":{"_0":"\#(name)"}}"#,
        ]
        let started = try JSONDecoder().decode(ExperimentStarted.self, from: Data(lines[0].utf8))
        let ended = try JSONDecoder().decode(ExperimentResult.self, from: Data(lines[1].utf8))
        let cause = try JSONDecoder().decode(RequestCause.self, from: Data(lines[2].utf8))
        #expect(ended == ExperimentResult(started.experiment, .unanswered))
        #expect(cause == .experiment(started.experiment))
        let written = [
            try JSONEncoder().encode(started), try JSONEncoder().encode(ended),
            try JSONEncoder().encode(cause),
        ]
        for (line, data) in zip(lines, written) {
            #expect(JSONValue(parsing: Array(data)) == JSONValue(parsing: Array(line.utf8)))
        }
    }

    @Test("the experiments with the backend are those that were")
    func all() {
        let names = [
            "expiredToken", "corruptedToken", "replayedToken", "concurrentRefresh", "lostAnswer",
            "cutFeed",
        ]
        #expect(Fault.ofClient.map(\.recordedName) == names)
    }

    @Test("faults of the sandbox are read as they were written")
    func faults() throws {
        let line = #"{"active":["delay:once:refresh:seconds=3","feed-close"],"by":"person"}"#
        let change = try JSONDecoder().decode(FaultsChange.self, from: Data(line.utf8))
        #expect(change.active == ["delay:once:refresh:seconds=3", "feed-close"])
        #expect(change.by == .user)
        let written = try JSONEncoder().encode(change)
        #expect(JSONValue(parsing: Array(written)) == JSONValue(parsing: Array(line.utf8)))
    }
}
