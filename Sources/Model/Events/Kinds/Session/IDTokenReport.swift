package import Basics
package import Profiles

/// An id token that a login brought, and what its check found.
package struct IDTokenReport: Sendable, Hashable, Codable {
    package var fingerprint: Fingerprint
    package var check: IDTokenCheck

    package init(fingerprint: Fingerprint, check: IDTokenCheck) {
        self.fingerprint = fingerprint
        self.check = check
    }

    /// The verdict on the signature, as the field `signature` of an event has it.
    enum Signature: String, Sendable, Hashable, CaseIterable {
        case valid
        case invalid
        case unchecked
    }

    var signature: Signature {
        switch check.signature {
        case .valid: .valid
        case .invalid: .invalid
        case .withoutKeys, .withoutItsKey, .unchecked: .unchecked
        }
    }
}

extension IDTokenReport: EventKind {
    package static let name = "idTokenChecked"
    package static let recordedAs = "idTokenChecked._0"
    package static let summary =
        "A login brought an id token, and its claims and its signature were checked."
    package static let fields: [EventField<IDTokenReport>] = [
        .text("fingerprint", "The id token.") { $0.fingerprint.digits },
        .choice("signature", "Whether one of the provider's keys signed it.") {
            $0.signature
        },
        .choice(
            "rule",
            "The rule that it breaks; the login fails then.",
            isOptional: true
        ) { $0.check.failure?.rule },
    ]

    package var kept: (any EventKind)? { self }
}
