import Basics
import Model

/// Whether the backend answers.
enum ReachabilityText {
    /// The warning in the header, with the cause behind a colon, or `nil` if it answers.
    static func warning(_ reachability: Reachability) -> String? {
        guard let failure = reachability.lastFailure else { return nil }
        let times = reachability.failures > 1 ? " ×\(reachability.failures)" : ""
        return switch failure {
        case .unreachable(let detail): "backend unreachable\(times)\(because(detail))"
        case .unanswered(let detail): "no answer from the backend\(times)\(because(detail))"
        case .serverError(let status): "backend answers \(status)\(times)"
        case .probeFailed: "backend unreachable\(times): no probe got through"
        }
    }

    /// In the list of counts: when the last answer came, and what came since.
    static func line(_ reachability: Reachability, clock: ViewClock) -> Line {
        let last =
            reachability.lastAnswerAt.map { "last answer \(clock.when($0))" } ?? "no answer yet"
        guard let warning = warning(reachability) else { return Line(last) }
        return "\(last) · \(warning, .warning)"
    }

    private static func because(_ detail: String) -> String {
        detail.isEmpty ? "" : ": \(detail)"
    }
}
