/// A command of a screen beside the dashboard: its keys, its words, and what it does.
///
/// The last row, the help, the manual page and the names in a configuration file are made from
/// these values.
package struct ScreenCommand<Screen: KeyedScreen>: ListedCommand {
    package typealias Effect = @Sendable (inout Screen) -> ScreenOutcome<Screen.Choice>?

    package let keys: [Key]
    package let modes: Set<KeyMode>
    package let name: String?
    package let help: String
    package let joinsPrevious: Bool
    /// The words in the last row, or `nil` if it does not show the command now.
    let hint: @Sendable (Screen) -> String?
    /// Whether they are at the right end of the row, beside a notice too.
    let isLasting: Bool
    /// Whether the palette has it, too.
    let isInPalette: Bool
    /// Why it is not possible now, or `nil` if it is.
    let obstacle: @Sendable (Screen) -> String?
    let effect: Effect

    /// A command that the dashboard does not have.
    init(
        _ keys: [Key],
        name: String?,
        in modes: Set<KeyMode> = [.panes],
        help: String,
        hint: @escaping @Sendable (Screen) -> String? = { _ in nil },
        joinsPrevious: Bool = false,
        obstacle: @escaping @Sendable (Screen) -> String? = { _ in nil },
        effect: @escaping Effect
    ) {
        self.keys = keys
        self.modes = modes
        self.name = name
        self.help = help
        self.hint = hint
        self.joinsPrevious = joinsPrevious
        isLasting = false
        isInPalette = true
        self.obstacle = obstacle
        self.effect = effect
    }

    /// A command that the dashboard has too: under the same keys, and the same name if it has one.
    ///
    /// - Parameters:
    ///   - command: That of the dashboard.
    ///   - more: Further keys.
    ///   - modes: Where it is here.
    ///   - help: Its words, or `nil` for those of the dashboard.
    ///   - hint: Its words in the last row.
    ///   - joinsPrevious: Whether it shares the line of the previous command.
    ///   - obstacle: Why it is not possible now.
    ///   - effect: What it does here.
    package init(
        _ command: KeyCommand,
        or more: [Key] = [],
        in modes: Set<KeyMode>,
        help: String? = nil,
        hint: @escaping @Sendable (Screen) -> String? = { _ in nil },
        joinsPrevious: Bool = false,
        obstacle: @escaping @Sendable (Screen) -> String? = { _ in nil },
        effect: @escaping Effect
    ) {
        keys = command.keys + more
        self.modes = modes
        name = command.name
        self.help = help ?? command.help
        self.hint = hint
        self.joinsPrevious = joinsPrevious
        isLasting = command.hint?.isLasting ?? false
        isInPalette = command.isInPalette
        self.obstacle = obstacle
        self.effect = effect
    }
}

/// What a key of a screen leads to, besides a change of the screen itself.
package enum ScreenOutcome<Choice: Sendable>: Sendable {
    case leave(Choice)
    case suspend
    case redraw
}

extension ScreenOutcome: Equatable where Choice: Equatable {}

extension ScreenCommand {
    /// Steps in lists and texts.
    ///
    /// - Parameters:
    ///   - modes: Where there is a list, or a text.
    ///   - start: The words for the step to the first line.
    ///   - hint: The words in the last row for the steps up and down.
    ///   - effect: Makes a step.
    /// - Returns: Commands with the keys that these steps have in the dashboard.
    package static func moves(
        in modes: Set<KeyMode>,
        start: String = "to the first",
        hint: @escaping @Sendable (Screen) -> String?,
        effect: @escaping @Sendable (inout Screen, ListMove) -> Void
    ) -> [Self] {
        KeyTable.moves.map { move, command in
            let words: String? =
                switch move {
                case .up: "up"
                case .start: start
                case .end: "to the last"
                case .down, .halfPageDown, .halfPageUp, .pageDown, .pageUp: nil
                }
            return Self(
                command,
                in: modes,
                help: words,
                hint: { move == .down ? hint($0) : nil },
                joinsPrevious: command.joinsPrevious,
                effect: { screen in
                    effect(&screen, move)
                    return nil
                }
            )
        }
    }

    /// Commands for the terminal itself.
    package static func terminal(in modes: Set<KeyMode>) -> [Self] {
        [
            Self(.redraw, in: modes, effect: { _ in .redraw }),
            Self(.suspend, in: modes, effect: { _ in .suspend }),
        ]
    }
}
