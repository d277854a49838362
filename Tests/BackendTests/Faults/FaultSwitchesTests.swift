import Testing

@testable import Model

@Suite("Faults: the body of a request that sets them")
struct FaultSwitchesTests {
    private func settings(_ body: String, at place: Fault.Place) throws -> [String] {
        try FaultSwitches(parsing: Array(body.utf8), at: place).settings.map(\.description)
    }

    @Test(
        "is read in one way for the sandbox and for an app",
        arguments: [
            (Fault.Place.backend, #"{"once":"delay"}"#, ["delay:once"]),
            (.backend, #"{"on":["delay:3","rate-limit"]}"#, ["delay:seconds=3", "rate-limit"]),
            (.app, #"{"once":"expire"}"#, ["expire:once"]),
            (.app, #"{"on":["blip:500x3","mute"]}"#, ["blip:500x3", "mute"]),
            (.app, #"{"off":"expire","once":"mute"}"#, ["expire:off", "mute:once"]),
            (.app, #"{"on":["delay:20","feed-close"]}"#, ["slow-refresh:20", "cut:1006"]),
            (.backend, #"{"once":"lose-answer"}"#, ["drop-after-commit:once"]),
        ]
    )
    func settings(place: Fault.Place, body: String, expected: [String]) throws {
        #expect(try settings(body, at: place) == expected)
    }

    @Test("names a session of an app only, and all faults of the place")
    func session() throws {
        let body = Array(#"{"once":"expire","session":1}"#.utf8)
        #expect(try FaultSwitches(parsing: body, at: .app).session == SessionID("1"))
        for place in [Fault.Place.backend, .app] {
            let off = try FaultSwitches(parsing: Array(#"{"off":"all"}"#.utf8), at: place)
            #expect(off.settings == FaultSetting.allOff(at: place))
            #expect(off.session == nil)
        }
    }

    @Test(
        "says what was expected",
        arguments: [
            (Fault.Place.backend, #"{"once":"short-life"}"#, "there is no fault \"short-life\""),
            (.backend, #"{"once":"delay","session":"1"}"#, "unknown key \"session\""),
            (.app, "[]", #"such as {"once": "expire"}"#),
            (.app, #"{"one":"expire"}"#, "unknown key \"one\": expected off, on, once, session"),
            (.app, #"{"on":"drop-request"}"#, "there is no experiment \"drop-request\""),
            (.backend, #"{"on":"delay@30s"}"#, "expected no time"),
            (.app, #"{"on":3}"#, "on: expected a fault"),
            (.app, #"{"on":"expire@30s"}"#, "expected no time"),
            (.app, #"{"on":"limit:p=0.2"}"#, "expected limit:SECONDS"),
        ]
    )
    func mistakes(place: Fault.Place, body: String, message: String) {
        let error = #expect(throws: FaultSwitchesError.self) {
            try FaultSwitches(parsing: Array(body.utf8), at: place)
        }
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    }
}
