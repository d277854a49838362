import TestSupport
import Testing

@testable import UI

/// A key in a mode: what the help says of it, and what it does on a screen.
struct KeyStop: Sendable {
    /// The steps that lead to the place where the key is pressed, from the end of the stop before.
    enum Step: Sendable {
        /// Keys by tmux's names, separated by blanks.
        case press(String)
        case type(String)
        case see(String)
        case seeNo(String)
    }

    let mode: KeyMode
    let key: Key
    /// As the help has it.
    let help: String
    let steps: [Step]
    let effect: KeyEffect

    init(
        _ mode: KeyMode,
        _ key: Key,
        _ help: String,
        after steps: [Step] = [],
        _ effect: KeyEffect
    ) {
        self.mode = mode
        self.key = key
        self.help = help
        self.steps = steps
        self.effect = effect
    }

    var name: String { "\(KeyText.name(key)) in \(mode): \(help)" }

    func run(on terminal: Terminal) async throws {
        for step in steps { try await terminal.perform(step) }
        switch effect {
        case .story(let story):
            try await story(terminal) { try await terminal.press(key) }
        case .screen(let what, let holds):
            let before = try await terminal.settled()
            #expect(!holds(before, before), "\(name): “\(what)” is there before the key is pressed")
            try await terminal.press(key)
            try await terminal.see("\(name): \(what)") { holds(before, $0) }
        }
    }
}

/// The effect of a key.
enum KeyEffect: Sendable {
    /// The expected screen, beside the screen before the key.
    case screen(String, @Sendable (_ before: [String], _ after: [String]) -> Bool)
    /// The effect elsewhere; the story presses the key itself.
    case story(@Sendable (Terminal, _ press: () async throws -> Void) async throws -> Void)

    /// These texts stand on the screen at the same time, and did not before.
    static func sees(_ texts: String...) -> KeyEffect {
        .screen("sees \(texts)") { _, screen in
            texts.allSatisfy { text in screen.contains { $0.contains(text) } }
        }
    }

    /// A text goes.
    static func loses(_ text: String) -> KeyEffect {
        .screen("no “\(text)”") { _, screen in !screen.contains { $0.contains(text) } }
    }

    /// One row has all of these texts.
    static func row(_ texts: String...) -> KeyEffect {
        .screen("a row with \(texts)") { _, screen in
            screen.contains { row in texts.allSatisfy(row.contains) }
        }
    }

    /// A number that is read off the screen is another one, by a rule.
    static func moves(
        _ what: String,
        _ read: @escaping @Sendable ([String]) -> Int?,
        _ rule: @escaping @Sendable (_ before: Int, _ after: Int) -> Bool
    ) -> KeyEffect {
        .screen(what) { before, after in
            guard let old = read(before), let new = read(after) else { return false }
            return old != new && rule(old, new)
        }
    }

    /// The text is in the clipboard that the terminal keeps for programs.
    static func copies(_ text: String) -> KeyEffect {
        .story { terminal, press in
            try await terminal.acceptClipboard()
            try await press()
            try await eventually("“\(text)” in the clipboard") {
                (try? await terminal.clipboard)?.joined().contains(text) ?? false
            }
        }
    }

    /// Text of another program over the screen is gone.
    static let redraws = KeyEffect.story { terminal, press in
        // Not in the row of the state, whose countdown is drawn each second.
        try await terminal.scribble("\u{1B}[3;20Hscribbled over")
        try await terminal.see("scribbled over")
        try await press()
        try await terminal.seeNo("scribbled over")
    }

    /// The shell has the terminal until `fg`; then `mark` is on the screen again.
    static func suspends(mark: String) -> KeyEffect {
        .story { terminal, press in
            try await press()
            try await terminal.see("Stopped")
            try await terminal.enter("fg")
            try await terminal.see("“\(mark)” again") { screen in
                screen.contains { $0.contains(mark) }
                    && !screen.contains { $0.contains("Stopped") }
            }
        }
    }

    /// Nothing but the prompt for the passphrase is there; with it, `mark` comes back.
    static func locks(mark: String) -> KeyEffect {
        .story { terminal, press in
            try await press()
            try await terminal.see("a locked screen") { screen in
                screen.contains { $0.contains("passphrase") }
                    && !screen.contains { $0.contains("127.0.0.1") || $0.contains(mark) }
            }
            try await terminal.type(Terminal.passphrase)
            try await terminal.press("Enter")
            try await terminal.see(mark)
        }
    }

    /// The program ends by itself.
    static let quits = KeyEffect.story { terminal, press in
        try await press()
        try await terminal.seePrompt(after: 0)
    }
}

extension Terminal {
    func perform(_ step: KeyStop.Step) async throws {
        switch step {
        case .press(let keys):
            for key in keys.split(separator: " ") { try await press(String(key)) }
        case .type(let text): try await type(text)
        case .see(let text): try await see(text)
        case .seeNo(let text): try await seeNo(text)
        }
    }

    /// Presses a key of the table.
    func press(_ key: Key) async throws {
        switch key {
        case .character(" "): try await press("Space")
        case .character(let character): try await type(String(character))
        case .control(let character): try await press("C-\(character)")
        case .enter: try await press("Enter")
        case .escape: try await press("Escape")
        case .tab: try await press("Tab")
        case .shiftTab: try await press("BTab")
        case .backspace: try await press("BSpace")
        case .delete: try await press("DC")
        case .up: try await press("Up")
        case .down: try await press("Down")
        case .left: try await press("Left")
        case .right: try await press("Right")
        case .pageUp: try await press("PPage")
        case .pageDown: try await press("NPage")
        case .home: try await press("Home")
        case .end: try await press("End")
        case .function(let number): try await press("F\(number)")
        }
    }

    /// The screen once what was pressed before is drawn: it stands still but for what counts time.
    func settled() async throws -> [String] {
        var before: [String] = []
        var count = 0
        return try await see("a screen that stands still") { screen in
            let now = Self.withoutTimes(screen)
            count = now == before ? count + 1 : 0
            before = now
            return count == 1
        }
    }

    private static func withoutTimes(_ screen: [String]) -> [String] {
        screen.map { $0.replacing(/[0-9]+/, with: "0").replacing(" ", with: "") }
    }
}
