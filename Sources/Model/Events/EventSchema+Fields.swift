import Basics
import Profiles

/// Fields that several kinds have.
extension EventSchema {
    /// Why no tokens were issued.
    static func failure<Kind>(
        _ failure: @escaping @Sendable (Kind) -> RefreshFailure
    ) -> [EventField<Kind>] {
        [
            .choice("class", "What the failure means for the session.") { failure($0).kind },
            .choice("cause", "What went wrong.") { failure($0).code },
            .integer("status", "The HTTP status of the answer.", isOptional: true) {
                failure($0).status
            },
            .sentence("message", "What went wrong, for users.") { $1.text(failure($0)) },
        ]
    }

    /// The values that belong to a pair besides the tokens, by name.
    static func captures<Kind>(
        _ captures: @escaping @Sendable (Kind) -> [CaptureDescription]
    ) -> EventField<Kind> {
        .object(
            "captures",
            "The fingerprint of each captured value by its name, or null if no answer has brought it."
        ) { event in
            let members = captures(event).map { capture in
                (
                    capture.reference.name,
                    capture.fingerprint.map { JSONValue.string($0.digits) } ?? .null
                )
            }
            return members.isEmpty ? nil : Dictionary(members) { first, _ in first }
        }
    }

    /// The appearance of a response.
    static func appearance<Kind>(
        _ evidence: @escaping @Sendable (Kind) -> ResponseEvidence?
    ) -> [EventField<Kind>] {
        [
            .text(
                "statusLine",
                "HTTP version, status, and the status's standard phrase.",
                isOptional: true
            ) { evidence($0)?.statusLine },
            .object("headers", "The header fields; of `Set-Cookie`, the cookies' names.") {
                event in
                evidence(event).map { evidence in
                    let members = evidence.headers.map { ($0.name, $0.value) }
                    return Dictionary(members) { "\($0), \($1)" }.mapValues(JSONValue.string)
                }
            },
            .integer("fieldsLeftOut", "The number of fields that are left out.", isOptional: true) {
                evidence($0)?.fieldsLeftOut
            },
            .text(
                "body",
                "The beginning of the answer's body, on one line and without secrets.",
                isOptional: true
            ) { evidence($0)?.body },
            .integer("bodyBytes", "The length of the whole body.", isOptional: true) {
                evidence($0)?.bodyBytes
            },
            .flag("bodyIsCut", "Whether the body goes on after `body`.", isOptional: true) {
                evidence($0)?.isBodyCut
            },
            .text(
                "demand",
                "What its challenge asks for that no renewal brings.",
                isOptional: true
            ) { evidence($0)?.demand },
        ]
    }
}
