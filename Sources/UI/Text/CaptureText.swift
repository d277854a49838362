import Basics
import Model
import Profiles

/// Texts about the values that requests send again.
enum CaptureText {
    /// The fingerprint and the source, or that it is missing.
    static func line(_ capture: CaptureDescription) -> Line {
        guard let fingerprint = capture.fingerprint else {
            return Line("missing: no answer has brought \(capture.reference.source)", .warning)
        }
        return "\(fingerprint.description, .identity) from \(capture.reference.source)"
    }

    /// The values that no answer has brought, a sentence for each.
    static func missing(_ captures: [CaptureDescription]) -> [String] {
        captures.filter { $0.fingerprint == nil }.map { capture in
            "no \(capture.reference.name): \(capture.reference.source) was in no answer"
        }
    }

    static func sentence(_ captures: [CaptureDescription]) -> String {
        let values = captures.map { capture in
            "\(capture.reference.name) \(capture.fingerprint?.description ?? "missing")"
        }
        return "captured from an answer: \(values.joined(separator: ", "))"
    }
}
