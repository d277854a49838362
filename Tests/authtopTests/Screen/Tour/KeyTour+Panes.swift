import Foundation
import TestSupport

@testable import UI

/// Keys that go to the panes.
extension KeyTour {
    static let session = Leg(
        name: "a session",
        stage: .devices,
        approach: [],
        [
            KeyStop(.panes, "r", "renew the tokens now", .sees("/api/auth/re")),
            KeyStop(
                .panes,
                "p",
                "send the protected request",
                .row("GET  /api/", "200")
            ),
            KeyStop(.panes, " ", pause, .sees("‖ paused: renews only on r or a 401")),
            KeyStop(.panes, " ", pause, .sees("‖ no renewal: 401s are shown, only r renews")),
            KeyStop(.panes, " ", pause, .loses("‖ no renewal")),
            KeyStop(.panes, "P", "write a request, and send it", .sees("Send a request")),
            KeyStop(
                .panes,
                "i",
                "statistics of the session",
                after: escape("Send a request"),
                .sees("─ Statistics ─")
            ),
            KeyStop(
                .panes,
                "S",
                "active sessions of this user",
                after: escape("─ Statistics ─"),
                .sees("─ Active sessions of", "this one")
            ),
            KeyStop(
                .panes,
                "X",
                "faults of the sandbox, to turn on and off",
                after: escape("─ Active sessions of"),
                .sees("─ Faults and experiments ─", "drop-after-commit")
            ),
            KeyStop(
                .panes,
                "E",
                "experiments with the backend",
                after: escape("─ Faults and experiments ─"),
                .sees("─ Faults and experiments ─", "▸ send an expired access token")
            ),
            KeyStop(
                .panes,
                "I",
                "ask the server about the tokens",
                after: escape("─ Faults and experiments ─"),
                .sees("names no introspection")
            ),
            KeyStop(
                .panes,
                "u",
                "try the vault again, when it is unlocked",
                .sees("the vault can be read and written: nothing to do")
            ),
            KeyStop(
                .panes,
                "L",
                "log out everywhere (asks first)",
                .sees("─ Log out everywhere? ─")
            ),
            KeyStop(
                .panes,
                "l",
                "log out here (asks first)",
                after: escape("─ Log out everywhere? ─"),
                .sees("─ Log out? ─")
            ),
            KeyStop(
                .panes,
                "o",
                "log in, by a form if need be",
                after: [.press("y"), .see("○ logged out by you")],
                .sees("● fresh", "generation 2.1")
            ),
            KeyStop(.panes, "t", "next theme", .sees("theme: ")),
            KeyStop(.panes, "w", "write the last 10 m to a file, for replay", writes),
            KeyStop(
                .panes,
                "W",
                "write a profile of an app's backend",
                .sees("a profile is learned from an app's traffic")
            ),
            KeyStop(.panes, "v", "edit the profile, with $VISUAL or $EDITOR", edits),
            KeyStop(
                .panes,
                "T",
                "family tree of an app's tokens",
                .sees("a family tree is of an app's tokens")
            ),
            KeyStop(
                .panes,
                "s",
                "sort the table of sessions: by urgency, state, next renewal, name",
                .sees("only this session is watched")
            ),
            KeyStop(
                .panes,
                "f",
                "to the newest finding of an app",
                .sees("findings are of an app whose traffic")
            ),
            KeyStop(
                .panes,
                "A",
                "requests of all sessions of an app, or of one",
                .sees("the sessions of an app are listed together")
            ),
            KeyStop(
                .panes,
                "e",
                "the last experiment with an app again",
                .sees("e repeats an experiment with an app")
            ),
            KeyStop(
                .panes,
                ":",
                "find an action, a pane or a session by its name",
                .sees("─ Actions and panes ─")
            ),
            KeyStop(
                .panes,
                "?",
                "this help",
                after: escape("─ Actions and panes ─"),
                .sees("─ Help ─", "Symbols")
            ),
            KeyStop(
                .panes,
                "h",
                "this help",
                after: escape("─ Help ─"),
                .sees("─ Help ─", "Symbols")
            ),
            KeyStop(
                .panes,
                .function(1),
                "this help",
                after: escape("─ Help ─"),
                .sees("─ Help ─", "Symbols")
            ),
            KeyStop(.panes, "K", "lock the screen", after: escape("─ Help ─"), .locks(mark: fresh)),
            KeyStop(.panes, "q", "quit", .quits),
        ]
    )

    private static let pause = "pause renewal: timer, then all, resume"
    static let fresh = "● fresh"

    static func escape(_ title: String) -> [KeyStop.Step] { [.press("Escape"), .seeNo(title)] }

    /// The file is in the folder of the shell, and only its owner can read it.
    private static let writes = KeyEffect.story { terminal, press in
        try await press()
        try await terminal.see("wrote ./authtop-")
        try await eventually("a recording in the folder") {
            let files = try FileManager.default.contentsOfDirectory(atPath: terminal.folder)
            guard let name = files.first(where: { $0.hasPrefix("authtop-") }) else { return false }
            let path = "\(terminal.folder)/\(name)"
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
            let text = try String(contentsOfFile: path, encoding: .utf8)
            return mode as? Int == 0o600 && text.contains("tokensIssued")
        }
    }

    /// The editor of the stage leaves a file in the folder of the shell.
    private static let edits = KeyEffect.story { terminal, press in
        try await press()
        try await eventually("the file of the editor") {
            FileManager.default.fileExists(atPath: "\(terminal.folder)/edited")
        }
        try await terminal.see(fresh)
    }

    static let panes = Leg(
        name: "the panes",
        stage: .devices,
        approach: [.see("▸3 Requests")],
        [
            KeyStop(
                .panes,
                .character(Character(String(FindingsPane.id.rawValue))),
                FindingsPane.title,
                .sees("findings are of an app")
            ),
            KeyStop(
                .panes,
                .character(Character(String(SessionsPane.id.rawValue))),
                SessionsPane.title,
                .sees("only this session is watched")
            ),
        ]
            + PaneCatalogue.panes(isObserved: false, hasSeveralSessions: false).sorted {
                $0.id < $1.id
            }.map { pane in
                // The one with the focus at first comes last.
                KeyStop(
                    .panes,
                    .character(Character(String(pane.id.rawValue))),
                    pane.title,
                    after: pane.id == PaneCatalogue.first ? [.press("1"), .see("▸1 ")] : [],
                    .sees("▸\(pane.id.rawValue) \(pane.title)")
                )
            },
        [
            KeyStop(
                .panes,
                .tab,
                "next pane",
                after: [.press("3"), .see("▸3 ")],
                .sees("▸4 Feed")
            ),
            KeyStop(.panes, .shiftTab, "previous pane", .sees("▸3 Requests")),
            KeyStop(.panes, "z", zoom, .zooms),
            KeyStop(.panes, "z", zoom, .zoomsBack),
            KeyStop(
                .panes,
                .escape,
                "give up a login that waits; undo a zoom, a filter, a hold",
                after: [.press("z"), .see("▸3 ")],
                .zoomsBack
            ),
        ],
        everywhere(.panes, mark: fresh)
    )

    private static let zoom = "zoom the pane, or all panes again"

    static let several = Leg(
        name: "several sessions",
        stage: .several,
        approach: [.see("▸● first")],
        [
            KeyStop(.panes, "]", "the next one", .sees("▸● second", "authtop  second")),
            KeyStop(.panes, "[", "show the previous one", .sees("▸● first", "authtop  first")),
            KeyStop(.panes, .control("c"), "quit at once", .quits),
        ]
    )
}

extension KeyEffect {
    /// One pane has the whole screen; where it has that anyway, the key says so.
    static let zooms = KeyEffect.screen("one pane alone") { before, screen in
        let wasAlone = before.frames == 1
        let text = "this pane has the whole screen already"
        return wasAlone
            ? screen.contains { $0.contains(text) } : screen.frames == 1 && before.frames > 1
    }

    /// All panes that there is room for are there again; with room for one alone, that is all.
    static let zoomsBack = KeyEffect.story { terminal, press in
        let isAlone = try await terminal.lines.count < 24
        try await press()
        try await terminal.see(isAlone ? "the only pane" : "several panes") { screen in
            isAlone ? screen.frames == 1 : screen.frames > 1
        }
    }
}

extension [String] {
    /// The number of panes that have their frame on the screen.
    var frames: Int { map { row in row.count { $0 == "╭" } }.reduce(0, +) }
}
