import Basics
import UI

/// A way in which a terminal shows a notification of the desktop, or calls for attention.
package enum TerminalNotification: String, Sendable, CaseIterable {
    /// OSC 9, as of iTerm2, WezTerm, ghostty and Windows Terminal.
    case osc9
    /// OSC 777, as of rxvt-unicode and foot.
    case osc777
    /// OSC 99 of kitty.
    case osc99
    case bell

    /// The number of characters that are shown; longer texts are cut.
    static let limit = 200

    /// The way of the terminal that the environment names, or `nil` if it names none that is known
    /// to have one.
    ///
    /// Within tmux, variables that its server was started with tell which terminal is around it.
    package init?(of environment: [String: String]) {
        let term = environment["TERM"] ?? ""
        let program = environment["TERM_PROGRAM"] ?? ""
        if let way = Self.terms.first(where: { term.begins(with: $0.prefix) })?.way {
            self = way
        } else if let way = Self.programs[program] {
            self = way
        } else if program.isEmpty || program == "tmux",
            let way = Self.variables.first(where: { environment[$0.name]?.isEmpty == false })?.way
        {
            self = way
        } else {
            return nil
        }
    }

    private static let terms: [(prefix: String, way: Self)] = [
        ("xterm-kitty", .osc99), ("xterm-ghostty", .osc9), ("wezterm", .osc9), ("foot", .osc777),
        ("rxvt-unicode", .osc777),
    ]

    private static let programs: [String: Self] = [
        "iTerm.app": .osc9, "WezTerm": .osc9, "ghostty": .osc9, "kitty": .osc99,
    ]

    private static let variables: [(name: String, way: Self)] = [
        ("KITTY_WINDOW_ID", .osc99), ("WEZTERM_PANE", .osc9), ("GHOSTTY_RESOURCES_DIR", .osc9),
        ("WT_SESSION", .osc9), ("ITERM_SESSION_ID", .osc9),
    ]

    /// Returns the bytes that have the terminal show a text.
    ///
    /// - Parameters:
    ///   - text: The text, of which nothing can end the sequence, or begin another one.
    ///   - isUTF8: Whether the terminal takes more than ASCII.
    ///   - inTmux: Whether to wrap the sequence for the terminal around tmux.
    /// - Returns: The sequence.
    func sequence(for text: String, isUTF8: Bool, inTmux: Bool) -> String {
        let body = Self.safe(text, isUTF8: isUTF8)
        let sequence =
            switch self {
            case .osc9: "\u{1B}]9;authtop: \(body)\u{07}"
            case .osc777: "\u{1B}]777;notify;authtop;\(body)\u{07}"
            case .osc99: "\u{1B}]99;;authtop: \(body)\u{1B}\\"
            case .bell: "\u{07}"
            }
        return inTmux && self != .bell ? Passthrough.wrapped(sequence) : sequence
    }

    /// A text without what controls a terminal, and without semicolons, which separate the parts of
    /// these sequences.
    ///
    /// In a terminal whose characters are bytes, a part of a longer character might end the sequence.
    private static func safe(_ text: String, isUTF8: Bool) -> String {
        let scalars = text.visibleInOneLine.unicodeScalars.prefix(limit).map { scalar in
            switch scalar {
            case ";": Unicode.Scalar(UInt8(ascii: ","))
            case _ where scalar.isUnseen || !isUTF8 && !scalar.isASCII:
                Unicode.Scalar(UInt8(ascii: "?"))
            default: scalar
            }
        }
        return String(String.UnicodeScalarView(scalars))
    }
}

/// A sequence that tmux hands to the terminal around it, if its option `allow-passthrough` is on.
enum Passthrough {
    static func wrapped(_ sequence: String) -> String {
        "\u{1B}Ptmux;\(sequence.replacing("\u{1B}", with: "\u{1B}\u{1B}"))\u{1B}\\"
    }
}
