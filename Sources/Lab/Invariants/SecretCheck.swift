import Basics
import Client
import Model
import Profiles

/// 23, as far as events can show it: no line of them holds a piece of a token.
struct SecretCheck {
    private static let pieceLength = 12
    private static let memory = 8

    private var recent: [[UInt8]] = []
    private(set) var checked = 0

    mutating func issued(_ secrets: [Secret]) {
        for secret in secrets {
            recent.append(Array(secret.reveal().utf8))
            if recent.count > Self.memory { recent.removeFirst() }
        }
    }

    mutating func searched(_ event: SessionEvent) -> InvariantViolation.Finding? {
        checked += 1
        let line = Array(EventLine.text(of: event, causes: RawCauses()).utf8)
        guard recent.contains(where: { Self.holds(line, aPieceOf: $0) }) else { return nil }
        return InvariantViolation.Finding(
            .secrets,
            "an event of kind \(event.kind.name) holds a token"
        )
    }

    /// Writes everything that a cause contains, to be searched for tokens.
    private struct RawCauses: CauseFormatter {
        func text(_ failure: RefreshFailure) -> String { String(describing: failure) }
        func text(_ problem: VaultProblem) -> String { String(describing: problem) }
        func text(_ problem: CredentialProblem) -> String { String(describing: problem) }
        func text(_ cause: UnsentCause) -> String { String(describing: cause) }
        func text(_ reason: SignedOutReason) -> String { String(describing: reason) }
        func brief(_ reason: SignedOutReason) -> String { String(describing: reason) }
        func text(_ cause: StateChangeCause) -> String { String(describing: cause) }
        func text(_ cause: RefreshCause) -> String { String(describing: cause) }
        func text(_ plan: RenewalPlan) -> String { String(describing: plan) }
        func text(_ cause: RequestCause) -> String { String(describing: cause) }
        func text(_ rejection: ActionRejection) -> String { String(describing: rejection) }
        func text(_ failure: SessionListFailure) -> String { String(describing: failure) }
        func text(_ introspection: IntrospectionResult) -> String {
            String(describing: introspection)
        }
        func text(_ cause: FeedCause) -> String { String(describing: cause) }
        func text(_ rule: DecidingRule) -> String { String(describing: rule) }
        func text(_ result: ExperimentResult) -> String { String(describing: result) }
        func text(stopping cause: FeedCause) -> String { String(describing: cause) }
    }

    private static func holds(_ line: [UInt8], aPieceOf token: [UInt8]) -> Bool {
        guard token.count >= pieceLength, line.count >= pieceLength else { return false }
        for place in 0...(line.count - pieceLength) {
            for start in 0...(token.count - pieceLength) where token[start] == line[place] {
                let piece = token[start..<(start + pieceLength)]
                if piece.elementsEqual(line[place..<(place + pieceLength)]) { return true }
            }
        }
        return false
    }
}
