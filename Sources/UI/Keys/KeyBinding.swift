/// Where keys go.
package enum KeyMode: Sendable, Hashable, CaseIterable {
    /// To the panes.
    case panes
    /// To the panes, and to the recording that they show.
    case replay
    /// To a text in an overlay.
    case overlay
    /// To a question that waits for its answer.
    case question
    /// To the filter that is being written.
    case prompt
    /// To the field of a form that is being written.
    case form
    /// To a list in an overlay.
    case choice
    /// To the field of a request that is being written.
    case request
    /// To the list of faults.
    case faults
    /// To the list of experiments.
    case experiments
    /// To a sign-in that waits for the user's browser.
    case authorization
    /// To the passphrase of a locked screen.
    case locked
}

/// One line of the key table: dispatch, hints and help are made from it.
package struct KeyBinding: Sendable, Equatable {
    package enum Section: String, Sendable, CaseIterable {
        case session = "Session"
        case panes = "Panes"
        case lists = "Lists and texts"
        case lifeline = "Lifeline"
        case program = "Program"
        case answers = "Answers"
        case filter = "Filter"
        case form = "Login form"
        case authorization = "Sign-in with a browser"
        case request = "Request form"
        case locked = "Locked screen"
        case sessions = "Active sessions"
        case faults = "Faults of the sandbox"
        case experiments = "Experiments with the backend"
        case several = "Several sessions"
        case replay = "Replay"
    }

    package var keys: [Key]
    package var action: Action
    package var modes: Set<KeyMode>
    package var section: Section
    /// The text in the last row, or `nil` if the key is not shown there.
    package var hint: String?
    /// The modes in which the hint is worth its room.
    package var hinted: Set<KeyMode>
    package var help: String
    /// Whether the help shows it in the line of the previous binding.
    package var joinsPrevious: Bool

    package init(
        _ keys: [Key],
        _ action: Action,
        in modes: Set<KeyMode> = [.panes],
        _ section: Section,
        hint: String? = nil,
        hinted: Set<KeyMode> = Set(KeyMode.allCases),
        help: String,
        joinsPrevious: Bool = false
    ) {
        self.keys = keys
        self.action = action
        self.modes = modes
        self.section = section
        self.hint = hint
        self.hinted = hinted.intersection(modes)
        self.help = help
        self.joinsPrevious = joinsPrevious
    }
}
