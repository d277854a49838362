import Basics
import Model

/// The last row: what the keys do here.
enum HintLine {
    static func line(mode: KeyMode, viewModel: ViewModel, columns: Int) -> Line {
        let lasting = lasting(mode: mode, viewModel: viewModel)
        var line = Line()
        for binding in bindings(mode, viewModel) where !lastingActions.contains(binding.action) {
            let next = line + Line(" ") + hint(binding, viewModel)
            guard next.width + lasting.width + 2 <= columns else { break }
            line = next + Line(" ")
        }
        return lasting.isEmpty ? line : Line.spread(line, lasting, over: columns)
    }

    /// How to quit and how to learn the rest: always there where these keys are no text.
    static func lasting(mode: KeyMode, viewModel: ViewModel) -> Line {
        let hints = bindings(mode, viewModel)
        let line = lastingActions.compactMap { action in hints.first { $0.action == action } }
            .map { hint($0, viewModel) }
            .joined(by: Line("  "))
        return line.isEmpty ? line : line + Line(" ")
    }

    private static let lastingActions: [Action] = [.quit, .help]

    private static func bindings(_ mode: KeyMode, _ viewModel: ViewModel) -> [KeyBinding] {
        viewModel.keys.bindings.filter { binding in
            guard binding.hint != nil, !binding.keys.isEmpty else { return false }
            if viewModel.isObserved, binding.action.isForSession, !binding.action.isForApp {
                return false
            }
            let isOfPanes = mode == .replay && !binding.action.isForSession
            return binding.hinted.contains(mode) || isOfPanes && binding.hinted.contains(.panes)
        }
    }

    /// Texts that replace each other have the same width, so that the row does not move.
    private static func hint(_ binding: KeyBinding, _ viewModel: ViewModel) -> Line {
        let isPossible = viewModel.obstacle(to: binding.action) == nil
        let name = Line(KeyText.name(binding.keys[0]), isPossible ? .key : .dim)
        return name + Line(" \(text(binding, viewModel))", isPossible ? .plain : .dim)
    }

    private static func text(_ binding: KeyBinding, _ viewModel: ViewModel) -> String {
        switch binding.action {
        case .cyclePause:
            switch viewModel.session.flags.pauses[.user] {
            case nil: return "pause "
            case .timer: return "stop  "
            case .all: return "resume"
            }
        case .toggleFollow: return viewModel.isFollowing(viewModel.focus) ? "hold  " : "follow"
        default: return binding.hint ?? ""
        }
    }
}
