import Basics
import Client
import Model
import Profiles
import UI

extension Outcome<WireResponse> {
    /// What has become of a batch (OTLP 1.5, sections "Failures" and "Partial Success").
    func exported(at moment: Moment) -> ExportQueue.Outcome {
        switch self {
        case .notSent, .unanswered: return .postponed(seconds: nil)
        case .answered(let answer):
            switch answer.status {
            case 200..<300: return .accepted(rejected: answer.rejectedItems)
            case 429, 502, 503, 504:
                return .postponed(seconds: answer.secondsToWait(receivedAt: moment.wall))
            default: return .refused
            }
        }
    }

    /// Why a batch was not accepted as a whole, or `nil` if it was.
    func problem(_ outcome: ExportQueue.Outcome) -> String? {
        switch self {
        case .notSent(let cause): "was not reached: \(CauseText().text(cause))"
        case .unanswered(let detail): "did not answer: \(detail)"
        case .answered(let answer):
            switch outcome {
            case .accepted(rejected: 0): nil
            case .accepted(let rejected): "rejected \(CountFormatter.count(rejected, "item"))"
            case .refused, .postponed: "answered \(answer.status)"
            }
        }
    }
}

extension WireResponse {
    /// The number of items that the collector did not take of those that it was sent.
    fileprivate var rejectedItems: Int {
        guard case .object(let members)? = JSONValue(parsing: body)?["partialSuccess"] else {
            return 0
        }
        let names = ["rejectedDataPoints", "rejectedSpans", "rejectedLogRecords"]
        return names.compactMap { members[$0] }.map { value in
            switch value {
            case .integer(let count): Int(clamping: count)
            case .string(let text): Int(text) ?? 0
            default: 0
            }
        }
        .first ?? 0
    }
}
