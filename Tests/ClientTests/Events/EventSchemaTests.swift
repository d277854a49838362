import Basics
import Client
import FoundationEssentials
import Model
import Testing
import UI

@Suite("The schema of events")
struct EventSchemaTests {
    private static let common = Set(EventSchema.commonFields.map(\.name))

    /// The members of an event's line, without those that every line has.
    private static func members(of kind: SessionEvent.Kind) throws -> [String: JSONValue] {
        var account = Account()
        account.add(kind)
        let text = EventLine.text(
            of: try #require(account.events.first),
            causes: CauseText()
        )
        guard case .object(let members)? = JSONValue(parsing: Array(text.utf8)) else {
            throw NoObject(text: text)
        }
        #expect(members["kind"] == .string(kind.name))
        #expect(common.isSubset(of: members.keys))
        return members.filter { !common.contains($0.key) }
    }

    private struct NoObject: Error { let text: String }

    @Test("there are samples of exactly the kinds that it has")
    func samplesOfEveryKind() {
        let names = EventSchema.definitions.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(Set(EventSamples.all.map(\.name)) == Set(names))
        // Every case of the two enumerations of kinds is listed in `caseName`.
        #expect(Set(EventSamples.all.map(\.caseName)).count == names.count)
    }

    @Test(
        "a line has the fields of its kind and no others, each of its type",
        arguments: EventSamples.all
    )
    func fieldsAreWritten(kind: SessionEvent.Kind) throws {
        let definition = try #require(EventSchema.definitions.first { $0.name == kind.name })
        let members = try Self.members(of: kind)
        let fields = Dictionary(uniqueKeysWithValues: definition.fields.map { ($0.name, $0) })
        #expect(Set(members.keys).isSubset(of: fields.keys))
        let required = definition.fields.filter { !$0.isOptional }.map(\.name)
        #expect(Set(required).isSubset(of: members.keys))
        for (name, value) in members {
            let field = try #require(fields[name])
            #expect(field.type.admits(value), "\(kind.name).\(name): \(value)")
            guard !field.values.isEmpty, case .string(let text) = value else { continue }
            #expect(field.values.contains(text), "\(kind.name).\(name)")
        }
    }

    @Test("every field is written by some event, and an optional one is left out by another")
    func fieldsAreUsed() throws {
        for definition in EventSchema.definitions {
            let lines = try EventSamples.all.filter { $0.name == definition.name }
                .map(Self.members)
            for field in definition.fields {
                let name = "\(definition.name).\(field.name)"
                #expect(lines.contains { $0[field.name] != nil }, "\(name) is never written")
                #expect(
                    !field.isOptional || lines.contains { $0[field.name] == nil },
                    "\(name) is not optional"
                )
            }
        }
    }

    @Test("the first event of a session states the version; every event, whose it is")
    func version() throws {
        let first = try Self.members(of: EventSamples.all[0])
        #expect(first["schema"] == .integer(1))
        var account = Account()
        account.add(.saved)
        #expect(
            EventLine.text(of: account.events[0], causes: CauseText())
                == #"{"at":"2025-11-21T14:16:40.000Z","session":"melchat","profile":"melchat","#
                + #""login":0,"generation":1,"kind":"saved"}"#
        )
    }

    @Test("the page about events says what it says")
    func page() throws {
        let top = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let path = "/\(top)/Sources/authtop/authtop.docc/Events.md"
        let page = EventPage.text
        if ProcessInfo.processInfo.environment["UPDATE_PAGES"] == "1" {
            try Data(page.utf8).write(to: URL(filePath: path))
            Issue.record("Events.md written anew: read it, then run again")
            return
        }
        let data = try #require(FileManager.default.contents(atPath: path))
        #expect(String(decoding: data, as: UTF8.self) == page, "UPDATE_PAGES=1 writes it")
    }
}

extension EventField.FieldType {
    fileprivate func admits(_ value: JSONValue) -> Bool {
        switch (self, value) {
        case (.text, .string), (.integer, .integer), (.flag, .bool), (.list, .array),
            (.object, .object), (.number, .number), (.number, .integer), (.seconds, .number),
            (.seconds, .integer), (.milliseconds, .number), (.milliseconds, .integer):
            true
        case (.time, .string(let text)):
            text.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil
        default: false
        }
    }
}

extension SessionEvent.Kind {
    /// Which case it is; a new case does not compile until it is here, and fails until there is a
    /// sample of it.
    fileprivate var caseName: String {
        switch self {
        case .capabilities: "capabilities"
        case .loginStarted: "loginStarted"
        case .authorizationRequested: "authorizationRequested"
        case .authorizationGranted: "authorizationGranted"
        case .idTokenChecked: "idTokenChecked"
        case .loginFailed: "loginFailed"
        case .tokensIssued: "tokensIssued"
        case .capturesChanged: "capturesChanged"
        case .stateChanged: "stateChanged"
        case .refreshStarted: "refreshStarted"
        case .refreshSucceeded: "refreshSucceeded"
        case .refreshFailed: "refreshFailed"
        case .request: "request"
        case .expiryMismatch: "expiryMismatch"
        case .userChanged: "userChanged"
        case .skew: "skew"
        case .refreshTokenRefused: "refreshTokenRefused"
        case .endedBefore: "endedBefore"
        case .wake: "wake"
        case .wallStep: "wallStep"
        case .probe: "probe"
        case .renewalPlanned: "renewalPlanned"
        case .tokenAwaited: "tokenAwaited"
        case .noProgress: "noProgress"
        case .protocolError: "protocolError"
        case .graceRecovered: "graceRecovered"
        case .adopted: "adopted"
        case .journalRecovered: "journalRecovered"
        case .unsaved: "unsaved"
        case .saved: "saved"
        case .circuitBreakerOpened: "circuitBreakerOpened"
        case .paused: "paused"
        case .resumed: "resumed"
        case .draining: "draining"
        case .signedOut: "signedOut"
        case .erased: "erased"
        case .revocation: "revocation"
        case .sessions: "sessions"
        case .secondOpinion: "secondOpinion"
        case .actionRejected: "actionRejected"
        case .dropped: "dropped"
        case .experimentStarted: "experimentStarted"
        case .experimentEnded: "experimentEnded"
        case .clockShifted: "clockShifted"
        case .faultsChanged: "faultsChanged"
        case .observed(let event):
            switch event {
            case .client: "observed.client"
            case .standing: "observed.standing"
            case .link: "observed.link"
            case .finding: "observed.finding"
            case .scorecard: "observed.scorecard"
            case .forgotten: "observed.forgotten"
            case .omitted: "observed.omitted"
            case .misdirected: "observed.misdirected"
            }
        case .feed(let event):
            switch event {
            case .dialing: "feed.dialing"
            case .opened: "feed.opened"
            case .switched: "feed.switched"
            case .closed: "feed.closed"
            case .refused: "feed.refused"
            case .failed: "feed.failed"
            case .message: "feed.message"
            case .missing: "feed.missing"
            case .control: "feed.control"
            case .ping: "feed.ping"
            case .stateChanged: "feed.stateChanged"
            case .receivesAfterLogout: "feed.receivesAfterLogout"
            }
        }
    }
}
