import Basics
import Model

/// A command of the dashboard: its keys, its words, when it is available, and what it does.
///
/// Hints, help, the manual page and the names in a configuration file are made from these values.
package struct KeyCommand: ListedCommand {
    /// Where the help lists it.
    enum Section: String, Sendable, CaseIterable {
        case session = "Session"
        case panes = "Panes"
        case lists = "Lists and texts"
        case lifeline = "Lifeline"
        case program = "Program"
        case answers = "Answers"
        case filter = "Filter"
        case form = "Login form"
        case authorization = "Login with a browser"
        case request = "Request form"
        case locked = "Locked screen"
        case sessions = "Active sessions"
        case faults = "Faults of the sandbox"
        case experiments = "Experiments"
        case several = "Several sessions"
        case replay = "Replay"
        case waiting = "Waiting for an app"
        case palette = "Palette"
    }

    /// The object that it acts on: nothing but the screen in a recording, and less with
    /// `--readonly`.
    enum Scope: Sendable {
        /// The screen, or a file of the user's.
        case screen
        /// The lock of the screen.
        case lock
        /// A session of authtop's own, or its backend, which the user changes.
        case session
        /// The same without a change by the user: what the program does anyway, or a question.
        case unchangedSession
        /// A session of authtop's own, or an app's.
        case experiment
    }

    /// The words in the last row.
    struct Hint: Sendable, ExpressibleByStringLiteral {
        let text: @Sendable (ViewModel) -> String
        /// The modes in which it is worth its room, or `nil` for all of the command's.
        var modes: Set<KeyMode>?
        /// Whether it is at the right end of the row, beside a notice too.
        var isLasting = false

        /// Texts that replace each other have the same width, so that the row does not move.
        init(_ text: @escaping @Sendable (ViewModel) -> String) {
            self.text = text
        }

        init(_ text: String, in modes: Set<KeyMode>? = nil, isLasting: Bool = false) {
            self.text = { _ in text }
            self.modes = modes
            self.isLasting = isLasting
        }

        init(stringLiteral text: String) {
            self.init(text)
        }
    }

    /// The effect of the command.
    struct Effect: Sendable {
        let run: @Sendable (inout DashboardState) -> [DashboardCommand]

        /// Changes the state, and returns what else is to be done.
        static func run(
            _ body: @escaping @Sendable (inout DashboardState) -> [DashboardCommand]
        ) -> Effect {
            Effect(run: body)
        }

        /// Changes the state, and nothing else.
        static func change(_ body: @escaping @Sendable (inout DashboardState) -> Void) -> Effect {
            Effect { state in
                body(&state)
                return []
            }
        }

        /// Changes nothing here.
        static func command(_ command: DashboardCommand) -> Effect {
            Effect { _ in [command] }
        }
    }

    /// The usual keys.
    package let keys: [Key]
    package var modes: Set<KeyMode> = [.panes]
    let section: Section
    /// The name in a configuration file, or `nil` if it cannot have other keys.
    ///
    /// Commands of one name, in different modes, have the same keys.
    package var name: String?
    /// `nil` if the last row does not show it.
    var hint: Hint?
    package let help: String
    /// The words in an app's session, or `nil` if they are the same there.
    package var appHelp: String?
    package var joinsPrevious = false
    /// Whether the palette has it, too; not where only a key makes sense.
    var isInPalette = true
    var scope = Scope.screen
    /// Why it is not available for authtop's own sessions, or `nil` if it is.
    var appOnly: String?
    /// Whether an obstacle is a warning.
    var warns = true
    var obstacle: @Sendable (KeyContext) -> String? = { _ in nil }
    let effect: Effect

    func help(in context: KeyContext) -> String {
        context.isObserved ? appHelp ?? help : help
    }

    /// Returns why the command is not available, as a message for the user, or `nil` if it is.
    func obstacle(in context: KeyContext) -> String? {
        if context.isObserved, isForOwnSession {
            let key = context.keys.name(of: .openExperiments)
            return "this session is the app's: authtop cannot do that here; \(key) has experiments"
        }
        if !context.isObserved, let appOnly { return appOnly }
        if context.isReadOnly, isByHand {
            return "--readonly: keys only watch, nothing is sent or changed by hand"
        }
        return obstacle(context)
    }

    /// Whether it needs a session of authtop's own.
    var isForOwnSession: Bool { scope == .session || scope == .unchangedSession }

    /// Whether `--readonly` forbids it.
    var isByHand: Bool { scope == .session || scope == .experiment }

    /// Whether the last row shows it in a mode.
    func isHinted(in mode: KeyMode) -> Bool {
        hint != nil && modes.contains(mode) && hint?.modes?.contains(mode) ?? true
    }
}
