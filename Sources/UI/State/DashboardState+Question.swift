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
        case .experiment(let experiment): return command(.experiment(experiment))
        case .appExperiment(let experiment): return begin(experiment)
        case .endSession(let session): return command(.send(.endSession(session.id)))
        }
    }

    /// Back to where the question came from.
    mutating func decline() {
        switch overlay?.content {
        case .question(.endSession(let session))?:
            overlay = OpenOverlay(.sessions(selected: listed.firstIndex(of: session) ?? 0))
        case .question(.experiment(let experiment))?:
            let selected = Experiment.allCases.firstIndex(of: experiment) ?? 0
            overlay = OpenOverlay(.experiments(selected: selected))
        case .question(.appExperiment(let experiment))?: showExperiments(at: experiment)
        default: overlay = nil
        }
    }
}

extension KeyTable {
    static let answers: [KeyCommand] = [
        KeyCommand(
            ["y"],
            in: [.question],
            .answers,
            hint: "yes",
            help: "yes",
            run: { $0.confirm() }
        ),
        KeyCommand(
            ["n", "q", .escape],
            in: [.question],
            .answers,
            hint: "no",
            help: "no",
            change: { $0.decline() }
        ),
    ]
}
