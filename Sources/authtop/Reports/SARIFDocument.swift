import ArgumentParser
import Basics

/// Results for a page of code scanning, in the Static Analysis Results Interchange Format (OASIS
/// SARIF 2.1.0).
struct SARIFDocument {
    enum Level: String {
        case error, warning, note
    }

    struct Rule {
        let id: String
        let summary: String
        var help: String?
        let level: Level
    }

    /// Something that is not in a file but has a name, such as a session or a request of it.
    struct Place {
        let kind: String
        let name: String
        /// The name with those of what it is in.
        let fullName: String
        /// Its part in the result, in a few words.
        var role: String?
    }

    struct Result {
        let rule: String
        let level: Level
        let message: String
        /// The path of the requests, or `nil` if it is at no path.
        var path: String?
        var places: [Place] = []
        /// What stays the same from run to run, and tells it from other results.
        let identity: String
        var isAccepted = false
    }

    let rules: [Rule]
    let results: [Result]
    /// The parts that were left out, a sentence each.
    var omissions: [String] = []

    var text: String { object.serialized + "\n" }

    var object: JSONValue {
        let driver: JSONValue = [
            "name": "authtop",
            "version": .string(AuthtopCommand.configuration.version),
            "semanticVersion": .string(AuthtopCommand.configuration.version),
            "rules": .array(rules.map(Self.object)),
        ]
        let notifications = omissions.map { text -> JSONValue in
            ["level": "warning", "message": Self.message(text)]
        }
        let run: JSONValue = [
            "tool": ["driver": driver],
            "columnKind": "unicodeCodePoints",
            "invocations": [
                [
                    "executionSuccessful": .bool(true),
                    "toolExecutionNotifications": .array(notifications),
                ]
            ],
            "results": .array(results.map(object)),
        ]
        return [
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [run],
        ]
    }

    private static func object(_ rule: Rule) -> JSONValue {
        var members: [String: JSONValue] = [
            "id": .string(rule.id),
            "shortDescription": message(rule.summary),
            "fullDescription": message(rule.summary),
            "defaultConfiguration": ["level": .string(rule.level.rawValue)],
        ]
        if let help = rule.help { members["help"] = message(help) }
        return .object(members)
    }

    private func object(_ result: Result) -> JSONValue {
        var members: [String: JSONValue] = [
            "ruleId": .string(result.rule),
            "level": .string(result.level.rawValue),
            "message": Self.message(result.message),
            "locations": [Self.location(of: result)],
            // The second name is the one that GitHub follows an alert by.
            "partialFingerprints": [
                "authtopFinding/v1": .string(result.identity),
                "primaryLocationLineHash": .string(result.identity),
            ],
            // Where one result has a list of them, each must.
            "suppressions": result.isAccepted ? [["kind": "external", "status": "accepted"]] : [],
        ]
        if let index = rules.firstIndex(where: { $0.id == result.rule }) {
            members["ruleIndex"] = .integer(Int64(index))
        }
        return .object(members)
    }

    /// The address that the requests name, below the backend's; pages of code scanning take no result
    /// without one, nor without a line.
    private static func location(of result: Result) -> JSONValue {
        let path = result.path.map { String($0.utf8.drop { $0 == UInt8(ascii: "/") }) ?? "" } ?? ""
        var members: [String: JSONValue] = [
            "physicalLocation": [
                "artifactLocation": ["uri": .string(path.isEmpty ? "traffic" : escaped(path))],
                "region": ["startLine": 1],
            ]
        ]
        if !result.places.isEmpty {
            members["logicalLocations"] = .array(result.places.map(object))
        }
        return .object(members)
    }

    private static func object(_ place: Place) -> JSONValue {
        var members: [String: JSONValue] = [
            "kind": .string(place.kind),
            "name": .string(place.name),
            "fullyQualifiedName": .string(place.fullName),
        ]
        if let role = place.role { members["properties"] = ["role": .string(role)] }
        return .object(members)
    }

    private static func message(_ text: String) -> JSONValue { ["text": .string(text)] }

    /// The path as a relative reference (RFC 3986 section 4.2), whose first segment has no colon.
    private static func escaped(_ path: String) -> String {
        path.utf8.reduce(into: "") { result, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "/"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default: result += "%" + byte.hexadecimal.asciiUppercased
            }
        }
    }
}
