package import Lifecycle

/// Why a refresh or a login brought nothing.
package enum FailureText {
    package static func kind(_ kind: RefreshFailure.Class) -> String {
        switch kind {
        case .notSent: "not sent"
        case .unknown: "answer lost"
        case .transient: "backend unavailable"
        case .clientFault: "request rejected"
        case .refused: "refused"
        }
    }

    /// As `kind`; an answer that came and says nothing is not lost.
    package static func name(_ failure: RefreshFailure) -> String {
        failure.kind == .unknown && failure.status != nil
            ? "answer unusable" : kind(failure.kind)
    }

    /// What the class means for the token.
    package static func meaning(_ kind: RefreshFailure.Class) -> String {
        switch kind {
        case .notSent: "no byte left: the refresh token is as good as before"
        case .unknown: "sent and no usable answer: the refresh token may be spent"
        case .transient: "the backend cannot say now: the same token is sent again"
        case .clientFault: "the request is not understood: check path and fields in the profile"
        case .refused: "the refresh token is no longer accepted"
        }
    }

    /// `503`, or what there is in place of a status.
    package static func brief(_ failure: RefreshFailure) -> String {
        failure.status.map(String.init) ?? kind(failure.kind)
    }

    /// `refused (401): Invalid or expired refresh token`.
    package static func full(_ failure: RefreshFailure) -> String {
        let status = failure.status.map { " (\($0))" } ?? ""
        let text = failure.message.isEmpty ? "" : ": \(failure.message)"
        return "\(name(failure))\(status)\(text)"
    }
}
