import Model
import Profiles

/// A question that waits for its answer.
extension DashboardState {
    mutating func confirm() -> [DashboardCommand] {
        guard case .question(let question)? = overlay?.content else { return [] }
        decline()
        switch question {
        case .logOut: return command(.logOut(.this))
        case .logOutEverywhere: return command(.logOut(.everywhere))
        case .experiment(let fault): return begin(fault)
        case .endSession(let session): return command(.send(.endSession(session.id)))
        }
    }

    /// Back to where the question came from.
    mutating func decline() {
        switch overlay?.content {
        case .question(.endSession(let session))?:
            overlay = OpenOverlay(.sessions(selected: listed.firstIndex(of: session) ?? 0))
        case .question(.experiment(let fault))?: showFault(FaultRow(fault))
        default: overlay = nil
        }
    }
}

/// Commands whose keys are named in texts.
extension KeyCommand {
    static let confirm = KeyCommand(
        keys: ["y"],
        modes: [.question],
        section: .answers,
        hint: "yes",
        help: "yes",
        effect: .run { $0.confirm() }
    )

    static let decline = KeyCommand(
        keys: ["n", "q", .escape],
        modes: [.question],
        section: .answers,
        hint: "no",
        help: "no",
        effect: .change { $0.decline() }
    )
}

extension KeyTable {
    static let answers: [KeyCommand] = [
        .confirm,
        .decline,
    ]
}
