import Backend
import Client
import Model

@testable import UI

/// Keys in overlays.
extension KeyTour {
    static let overlays = [text, question, sessions, faults, experiments, palette]

    private static let help = "─ Help ─"
    private static let statistics = "─ Statistics ─"

    private static let text = Leg(
        name: "a text in an overlay",
        stage: .devices,
        approach: [.press("?"), .see(help)],
        moves(in: .overlay, .text),
        [
            KeyStop(
                .overlay,
                "/",
                "search a text: the lines that match",
                .sees("Enter keep", "Esc clear")
            ),
            KeyStop(
                .overlay,
                "i",
                "statistics of the session",
                after: [.press("Escape"), .see("Esc back")],
                .sees(statistics)
            ),
            KeyStop(
                .overlay,
                "I",
                "ask the server about the tokens",
                .sees("names no introspection")
            ),
            KeyStop(
                .overlay,
                "T",
                "family tree of an app's tokens",
                .sees("a family tree is of an app's tokens")
            ),
            KeyStop(.overlay, "i", "statistics of the session", .loses(statistics)),
            KeyStop(
                .overlay,
                "?",
                "this help",
                after: [.press("i"), .see(statistics)],
                .sees(help)
            ),
            KeyStop(.overlay, "?", "this help", .loses(help)),
            KeyStop(
                .overlay,
                "h",
                "this help",
                after: [.press("?"), .see(help)],
                .loses(help)
            ),
            KeyStop(
                .overlay,
                .function(1),
                "this help",
                after: [.press("?"), .see(help)],
                .loses(help)
            ),
            KeyStop(.overlay, .escape, "close", after: [.press("?"), .see(help)], .loses(help)),
            KeyStop(.overlay, "q", "close", after: [.press("?"), .see(help)], .loses(help)),
            KeyStop(
                .overlay,
                "t",
                "next theme",
                after: [.press("?"), .see(help)],
                .sees("theme: ")
            ),
        ],
        locking(.overlay, mark: help),
        everywhere(.overlay, mark: help)
    )

    private static let asked = "─ Log out everywhere? ─"
    private static let askAgain: [KeyStop.Step] = [.press("L"), .see(asked)]

    private static let question = Leg(
        name: "a question",
        stage: .devices,
        approach: askAgain,
        [
            KeyStop(.question, "n", "no", .loses(asked)),
            KeyStop(.question, "q", "no", after: askAgain, .loses(asked)),
            KeyStop(.question, .escape, "no", after: askAgain, .loses(asked)),
            KeyStop(
                .question,
                "y",
                "yes",
                after: askAgain,
                .sees("○ logged out everywhere by you")
            ),
        ],
        locking(.question, mark: asked, after: [.press("o"), .see(fresh)] + askAgain),
        everywhere(.question, mark: asked)
    )

    private static let listed = "─ Active sessions of"
    private static let openSessions: [KeyStop.Step] = [.press("S"), .see("this one")]
    private static let ended = "─ End this session? ─"

    private static let sessions = Leg(
        name: "active sessions",
        stage: .devices,
        approach: openSessions,
        moves(in: .choice, .sessions(TourStage.sessionCount)),
        [
            KeyStop(.choice, "x", "end the selected one (asks first)", .sees(ended)),
            KeyStop(
                .choice,
                .delete,
                "end the selected one (asks first)",
                after: [.press("n"), .seeNo(ended), .see(listed)],
                .sees(ended)
            ),
            KeyStop(
                .choice,
                "S",
                "ask for the list again",
                after: [.press("n"), .seeNo(ended), .see(listed)],
                .listed
            ),
            KeyStop(.choice, "q", "close", .loses(listed)),
            KeyStop(.choice, .escape, "close", after: openSessions, .loses(listed)),
        ],
        locking(.choice, mark: listed, after: openSessions),
        everywhere(.choice, mark: listed)
    )

    private static let actions = "─ Actions and panes ─"
    private static let openPalette: [KeyStop.Step] = [.type(":"), .see(actions)]

    private static let palette = Leg(
        name: "the palette",
        stage: .devices,
        approach: openPalette,
        erasing(.palette, typing: [.type("qxz"), .see(":qxz")]),
        [
            KeyStop(.palette, .down, "to the next row", .row("▸ p", "send")),
            KeyStop(.palette, .up, "to the one above", .row("▸ r", "renew")),
            KeyStop(
                .palette,
                .tab,
                "complete what is written",
                after: [.type("stat"), .see(":stat")],
                .sees(":statistics")
            ),
            KeyStop(.palette, .enter, "do what is selected", .sees(statistics)),
            KeyStop(
                .palette,
                .escape,
                "close it",
                after: escape(statistics) + openPalette,
                .loses(actions)
            ),
        ],
        everywhere(.palette, mark: actions, after: openPalette)
    )

    private static let faultsOverlay = "─ Faults and experiments ─"
    private static let openFaults: [KeyStop.Step] = [.press("X"), .see("drop-after-commit")]
    private static let faultNames = Fault.ofBackend.map(\.name)

    private static let faults = Leg(
        name: "the faults of the sandbox",
        stage: .devices,
        approach: openFaults,
        moves(in: .faults, .rows(faultNames + experimentNames)),
        [
            KeyStop(.faults, .enter, once, .row("▸ drop-after-commit", " once ")),
            KeyStop(.faults, "a", "all off", .sees("none is on")),
            KeyStop(.faults, "o", once, .row("▸ drop-after-commit", " once ")),
            KeyStop(.faults, " ", toggle, .row("▸ drop-after-commit", " off ")),
            KeyStop(.faults, " ", toggle, .row("▸ drop-after-commit", " on ")),
            KeyStop(.faults, "/", "filter the list", .sees("Enter keep", "Esc clear")),
            KeyStop(
                .prompt,
                .enter,
                "keep it",
                after: [.type("silent"), .see("▸ feed-silent")],
                .sees("Space on/off", "/silent")
            ),
            KeyStop(
                .prompt,
                .escape,
                "clear it",
                after: [.press("/"), .see("Esc clear")],
                .sees("▸ drop-after-commit")
            ),
            KeyStop(
                .faults,
                "E",
                "experiments with the backend",
                .sees("▸ send an expired access token")
            ),
            KeyStop(.experiments, "/", "filter the list", .sees("Enter keep", "Esc clear")),
            KeyStop(
                .experiments,
                "X",
                "faults of the sandbox, to turn on and off",
                after: [.press("Escape"), .see("▸ send an expired access token")],
                .sees("▸ drop-after-commit")
            ),
            KeyStop(
                .faults,
                "X",
                "faults of the sandbox, to turn on and off",
                .loses(faultsOverlay)
            ),
            KeyStop(.faults, .escape, "close", after: openFaults, .loses(faultsOverlay)),
            KeyStop(.faults, "q", "close", after: openFaults, .loses(faultsOverlay)),
        ],
        locking(.faults, mark: faultsOverlay, after: openFaults),
        everywhere(.faults, mark: faultsOverlay)
    )

    private static let once = "the next time only"
    private static let toggle = "on until it is turned off, or off"

    private static let experimentsOverlay = faultsOverlay
    private static let openExperiments: [KeyStop.Step] = [
        .press("E"), .see("▸ send an expired access token"),
    ]
    private static let clock = "shift authtop's clock"
    private static let experimentNames = Fault.ofClient.map(\.words) + [clock]

    private static let experiments = Leg(
        name: "the experiments",
        stage: .devices,
        approach: openExperiments,
        moves(in: .experiments, .rows(faultNames + experimentNames)),
        [
            KeyStop(
                .experiments,
                .enter,
                "run the selected one (asks first on a real backend)",
                after: [.press("E"), .press("j"), .see("▸ send a corrupted access token")],
                .row("▸ send a corrupted access token", "refused")
            ),
            KeyStop(.experiments, .right, "forward: +1 m, +5 m", .row("▸ \(clock)", "+1 m")),
            KeyStop(.experiments, "+", "forward: +1 m, +5 m", .row("▸ \(clock)", "+5 m")),
            KeyStop(.experiments, .left, clockBack, .row("▸ \(clock)", "+1 m")),
            KeyStop(.experiments, "-", clockBack, .row("▸ \(clock)", " – ")),
            KeyStop(.experiments, "-", clockBack, .row("▸ \(clock)", "−1 m")),
            KeyStop(.experiments, "E", "experiments with the backend", .loses(experimentsOverlay)),
            KeyStop(
                .experiments,
                .escape,
                "close",
                after: openExperiments,
                .loses(experimentsOverlay)
            ),
            KeyStop(.experiments, "q", "close", after: openExperiments, .loses(experimentsOverlay)),
        ],
        locking(.experiments, mark: experimentsOverlay, after: openExperiments),
        everywhere(.experiments, mark: experimentsOverlay)
    )

    private static let clockBack = "shift authtop's clock back: to −1 m, −5 m"
}

extension KeyEffect {
    /// The backend is asked for its list, which is as of a later time then.
    fileprivate static let listed = moves("a later list", { $0.listedAt }) { $1 > $0 }
}

extension [String] {
    /// Seconds of the day.
    fileprivate var listedAt: Int? {
        lazy.compactMap { row in
            row.firstMatch(of: /as of (\d\d):(\d\d):(\d\d)/).map { match in
                (Int(match.1) ?? 0) * 3600 + (Int(match.2) ?? 0) * 60 + (Int(match.3) ?? 0)
            }
        }.first
    }
}
