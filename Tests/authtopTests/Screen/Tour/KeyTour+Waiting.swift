import TestSupport

@testable import UI

/// Keys of the page that waits for an app.
extension KeyTour {
    static let waiting = Leg(
        name: "a proxy that waits for an app",
        stage: .proxy,
        approach: [.see("▸browser app")],
        [
            KeyStop(.waiting, .right, "next kind of app", .sees("▸mobile")),
            KeyStop(.waiting, .tab, "next kind of app", .sees("▸server")),
            KeyStop(.waiting, .left, "previous kind of app", .sees("▸mobile")),
            KeyStop(.waiting, .shiftTab, "previous kind of app", .sees("▸browser app")),
            KeyStop(.waiting, "t", "next theme", .sees("theme: ")),
            KeyStop(
                .waiting,
                "E",
                "experiments with the backend",
                .sees("─ Faults and experiments ─")
            ),
            KeyStop(
                .waiting,
                ":",
                "find an action, a pane or a session by its name",
                after: [.press("Escape")],
                .sees("─ Actions and panes ─")
            ),
            KeyStop(
                .waiting,
                "?",
                "this help",
                after: [.press("Escape"), .seeNo("─ Actions and panes ─")],
                .sees("─ Help")
            ),
            KeyStop(
                .waiting,
                "h",
                "this help",
                after: [.press("Escape"), .seeNo("─ Help")],
                .sees("─ Help")
            ),
            KeyStop(
                .waiting,
                .function(1),
                "this help",
                after: [.press("Escape"), .seeNo("─ Help")],
                .sees("─ Help")
            ),
        ],
        locking(.waiting, mark: "▸browser app", after: [.press("Escape"), .seeNo("─ Help")]),
        [KeyStop(.waiting, "q", "quit", .quits)],
        everywhere(.waiting, mark: "▸browser app", after: again)
    )

    private static let again: [KeyStop.Step] = [
        .type("fc -s authtop"), .press("Enter"), .see("▸browser app"),
    ]
}
