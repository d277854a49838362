import Basics
import Model

/// The last row: what the keys do here.
enum HintLine {
    static func line(mode: KeyMode, scene: Scene, columns: Int) -> Line {
        let lasting = lasting(mode: mode, scene: scene)
        var line = Line()
        for binding in bindings(mode, scene) where !lastingActions.contains(binding.action) {
            let next = line + Line(" ") + hint(binding, scene)
            guard next.width + lasting.width + 2 <= columns else { break }
            line = next + Line(" ")
        }
        return lasting.isEmpty ? line : Line.spread(line, lasting, over: columns)
    }

    /// How to quit and how to learn the rest: always there where these keys are no text.
    static func lasting(mode: KeyMode, scene: Scene) -> Line {
        let hints = bindings(mode, scene)
        let line = lastingActions.compactMap { action in hints.first { $0.action == action } }
            .map { hint($0, scene) }
            .joined(by: Line("  "))
        return line.isEmpty ? line : line + Line(" ")
    }

    private static let lastingActions: [Action] = [.quit, .help]

    private static func bindings(_ mode: KeyMode, _ scene: Scene) -> [KeyBinding] {
        scene.keys.bindings.filter { binding in
            guard binding.hint != nil, !binding.keys.isEmpty else { return false }
            if scene.isObserved, binding.action.isForSession, !binding.action.isForApp {
                return false
            }
            let isOfPanes = mode == .replay && !binding.action.isForSession
            return binding.hinted.contains(mode) || isOfPanes && binding.hinted.contains(.panes)
        }
    }

    /// Texts that replace each other have the same width, so that the row does not move.
    private static func hint(_ binding: KeyBinding, _ scene: Scene) -> Line {
        let isPossible = scene.obstacle(to: binding.action) == nil
        let name = Line(KeyText.name(binding.keys[0]), isPossible ? .key : .dim)
        return name + Line(" \(text(binding, scene))", isPossible ? .plain : .dim)
    }

    private static func text(_ binding: KeyBinding, _ scene: Scene) -> String {
        switch binding.action {
        case .cyclePause:
            switch scene.session.flags.pauses[.person] {
            case nil: return "pause "
            case .timer: return "stop  "
            case .all: return "resume"
            }
        case .toggleFollow: return scene.isFollowing(scene.focus) ? "hold  " : "follow"
        default: return binding.hint ?? ""
        }
    }
}
