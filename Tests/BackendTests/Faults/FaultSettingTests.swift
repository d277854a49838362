import Testing

@testable import Backend
@testable import Model

@Suite("Backend: how a user sets a fault")
struct FaultSettingTests {
    @Test(
        "what was written is what is told of it",
        arguments: [
            "rate-limit", "drop-after-commit:once", "server-error:p=0.2", "delay:seconds=3",
            "feed-close:code=4401", "delay:next=3:login:refresh:seconds=0.5", "html-200:off",
            "server-error:once:feed:status=503", "rate-limit:once@30s",
        ]
    )
    func roundTrip(text: String) throws {
        #expect(try FaultSetting(parsing: text, at: .backend).description == text)
    }

    @Test(
        "seconds are taken as a number or as a duration",
        arguments: [
            ("delay:seconds=2.5", 2.5), ("delay:seconds=5m", 300), ("delay:seconds=500ms", 0.5),
            ("rate-limit:seconds=12h", 43_200), ("delay:3", 3), ("delay:2m:once", 120),
            ("server-error:refresh:503", 503), ("skewed-date:seconds=-2h", -7200),
            ("skewed-date:seconds=-90", -90),
        ]
    )
    func durations(text: String, seconds: Double) throws {
        #expect(try FaultSetting(parsing: text, at: .backend).fault.values.values.first == seconds)
    }

    @Test("words stand in any order, with blanks around them")
    func order() throws {
        let setting = try FaultSetting(
            parsing: " delay : seconds=3 : refresh : once ",
            at: .backend
        )
        #expect(setting.description == "delay:once:refresh:seconds=3")
        #expect(setting.state == .next(1))
        #expect(setting.kinds == [.refresh])
        #expect(setting.fault.value(.seconds) == 3)
    }

    @Test("an unknown name is answered with the nearest, and all that there are")
    func unknown() {
        let error = #expect(throws: FaultSettingError.unknownFault("rate-limt", .backend)) {
            try FaultSetting(parsing: "rate-limt:once", at: .backend)
        }
        #expect(error?.description.contains("did you mean rate-limit?") == true)
        for fault in Fault.ofBackend { #expect(error?.description.contains(fault.name) == true) }
    }

    @Test(
        "a word that is not understood is named, with what was expected",
        arguments: [
            ("rate-limit:onse", "onse", "once"), ("delay:seconds=x", "seconds=x", "0 to 600"),
            ("delay:seconds=601", "seconds=601", "0 to 600"),
            ("delay:seconds=11m", "seconds=11m", "0 to 600"),
            ("server-error:status=8m", "status=8m", "500 to 599"), ("delay:", "\"\"", "seconds=N"),
            ("feed-close:code=4401.5", "code=4401.5", "1000 to 4999"),
            ("feed-close:code=999", "code=999", "1000 to 4999"),
            ("server-error:status=200", "status=200", "500 to 599"),
            ("drop-request:seconds=3", "seconds=3", "next=N"), ("delay:p=0", "p=0", "over 0"),
            ("delay:p=1.1", "p=1.1", "at most 1"), ("delay:p=nan", "p=nan", "at most 1"),
            ("delay:next=0", "next=0", "1 to"), ("delay:feed", "feed", "login"),
            ("bare-refusal:login", "login", "refresh"), ("feed-silent:refresh", "refresh", "feed"),
            ("delay:once:p=0.2", "once and p=0.2", "exclude"), ("", "\"\"", "There are"),
            ("delay:seconds=1:seconds=2", "seconds=2", "exclude"), ("delay:601", "601", "0 to 600"),
            ("feed-silent:3", "3", "next=N"), ("delay:1:seconds=2", "seconds=2", "exclude"),
            ("delay:\u{1B}[2J", "\" [2J\"", "expected"),
        ]
    )
    func mistakes(text: String, names: String, expected: String) {
        let error = #expect(throws: FaultSettingError.self) {
            try FaultSetting(parsing: text, at: .backend)
        }
        #expect(error?.description.contains(names) == true)
        #expect(error?.description.contains(expected) == true)
    }

    @Test(
        "a name is that of the same fault, wherever it acts",
        arguments: [
            ("lose-answer", Fault.Place.backend, "drop-after-commit"),
            ("lost-answer:once", .backend, "drop-after-commit:once"),
            ("slow-refresh:seconds=3", .backend, "delay:seconds=3"),
            ("drop-after-commit@30s", .app, "lose-answer@30s"),
            ("server-error:status=502", .app, "blip:502x2"),
            ("drop-after-commit", .client, "lost-answer"),
            ("cut", .client, "cut-feed"), ("cut-feed:4401", .app, "cut:4401"),
            ("expired-token@2m", .client, "expired-token@120s"),
        ]
    )
    func otherNames(text: String, place: Fault.Place, expected: String) throws {
        let setting = try FaultSetting(parsing: text, at: place)
        #expect(setting.description == expected)
        #expect(setting.fault.place == place)
    }

    @Test("no two faults have a name in common, in whatever places they act")
    func allNames() {
        let names = Fault.all.flatMap(\.names)
        #expect(Set(names).count == names.count)
        for fault in Fault.all {
            #expect(Set(fault.places).count == fault.places.count)
            for place in fault.places { #expect(fault.at(place).place == place) }
        }
    }

    @Test("every fault has a name of its own, fit to be typed, and a line that says what it does")
    func names() {
        let known = Fault.ofBackend
        #expect(Set(known.map(\.name)).count == known.count)
        for fault in known {
            #expect(fault.name.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" })
            #expect((1...50).contains(fault.sentence.count))
            #expect(!fault.kinds.isEmpty)
        }
    }
}
