import Basics
import Client
import FoundationEssentials
import Testing
import UI

@testable import Model

@Suite("The schema of events")
struct EventSchemaTests {
    private static let common = Set(EventSchema.commonFields.map(\.name))

    /// The members of an event's line, without those that every line has.
    private static func members(of kind: any EventKind) throws -> [String: JSONValue] {
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
    }

    @Test("every kind that has a file is in the list of kinds")
    func filesOfKinds() throws {
        let top = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let files = try FileManager.default
            .subpathsOfDirectory(atPath: "/\(top)/Sources/Model/Events/Kinds")
            .filter { $0.hasSuffix(".swift") && !$0.hasSuffix("EventKinds.swift") }
            .compactMap { $0.split(separator: "/").last?.dropLast(".swift".count) }
        let kinds = EventKinds.all.map { String(describing: $0) }
        #expect(Set(files.map(String.init)) == Set(kinds))
    }

    @Test(
        "a line has the fields of its kind and no others, each of its type",
        arguments: EventSamples.all
    )
    func fieldsAreWritten(kind: any EventKind) throws {
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
        account.add(PairSaved())
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
            Issue.record("Events.md written again: read it, then run again")
            return
        }
        let data = try #require(FileManager.default.contents(atPath: path))
        #expect(String(decoding: data, as: UTF8.self) == page, "UPDATE_PAGES=1 writes it")
    }
}

extension FieldDescription.FieldType {
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
