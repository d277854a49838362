@testable import UI

/// Keys where letters are text, and of a sign-in that waits.
extension KeyTour {
    static let writing = [filter, form, login, request]

    /// The keys that erase where `qxz` was typed, which stands nowhere else.
    static func erasing(_ mode: KeyMode, typing: [KeyStop.Step]) -> [KeyStop] {
        [
            KeyStop(mode, .backspace, "erase a character", after: typing, .loses("qxz")),
            KeyStop(
                mode,
                .delete,
                "erase a character",
                after: [.type("z"), .see("qxz")],
                .loses("qxz")
            ),
            KeyStop(mode, .control("u"), "erase all", .loses("qx")),
        ]
    }

    private static let openFilter: [KeyStop.Step] = [.press("/"), .see("Esc clear")]

    private static let filter = Leg(
        name: "a filter",
        stage: .devices,
        approach: openFilter,
        erasing(.prompt, typing: [.type("qxz"), .see("/qxz")]),
        [
            KeyStop(
                .prompt,
                .enter,
                "keep it",
                after: [.type("verify"), .see("1 of 1")],
                .sees("q quit", "/verify 1 of 1")
            ),
            KeyStop(.prompt, .escape, "clear it", after: openFilter, .clearsFilter),
        ],
        everywhere(.prompt, mark: "Esc clear", after: openFilter)
    )

    private static let loginBox = "─ Log in to"
    private static let openForm: [KeyStop.Step] = [.press("o"), .see("▸ code")]

    private static let form = Leg(
        name: "the login form",
        stage: .refused,
        approach: openForm,
        [KeyStop(.form, .shiftTab, "previous field", .sees("▸ email"))],
        erasing(.form, typing: [.type("qxz"), .see("qxz")]),
        [
            KeyStop(.form, .tab, "next field", .sees("▸ code")),
            KeyStop(.form, .up, "previous field", .sees("▸ email")),
            KeyStop(.form, .down, "next field", .sees("▸ code")),
            KeyStop(.form, .escape, "cancel", .loses(loginBox)),
        ],
        everywhere(.form, mark: "▸ code", after: openForm)
    )

    private static let login = Leg(
        name: "a login by the form",
        stage: .refused,
        approach: openForm + [.press("BTab"), .see("▸ email")],
        [
            KeyStop(.form, .enter, "next field; in the last one, log in", .sees("▸ code")),
            KeyStop(
                .form,
                .enter,
                "next field; in the last one, log in",
                after: [.type("123456"), .see("••••••")],
                .sees(fresh)
            ),
            KeyStop(.panes, .control("c"), "quit at once", .quits),
        ]
    )

    private static let requestOverlay = "─ Send a request ─"
    private static let openRequest: [KeyStop.Step] = [.press("P"), .see(requestOverlay)]

    private static let request = Leg(
        name: "the request form",
        stage: .devices,
        approach: openRequest,
        erasing(.request, typing: [.type("qxz"), .see("/qxz")]),
        [
            KeyStop(.request, .shiftTab, "previous field", .sees("▸ method")),
            KeyStop(.request, .tab, "next field", .sees("▸ path")),
            KeyStop(
                .request,
                .enter,
                "next field; in the last one, send",
                after: [.type("/api/tour"), .see("/api/tour")],
                .sees("▸ body")
            ),
            KeyStop(
                .request,
                .enter,
                "next field; in the last one, send",
                .row("GET  /api/tour", "404")
            ),
            KeyStop(
                .request,
                .up,
                "the request before",
                after: openRequest,
                .row("path", "/api/tour")
            ),
            KeyStop(.request, .down, "the one after", .moveOfPath),
            KeyStop(.request, .escape, "cancel", .loses(requestOverlay)),
        ],
        everywhere(.request, mark: requestOverlay, after: openRequest)
    )

    private static let signIn = "─ Log in with a browser ─"

    static let authorization = Leg(
        name: "a login with a browser",
        stage: .browser,
        approach: [.see(signIn)],
        locking(.authorization, mark: signIn),
        [
            KeyStop(.authorization, "y", "copy the address", .copies("/authorize?")),
            KeyStop(.authorization, .escape, "cancel the login", .sees("cancelled")),
        ],
        everywhere(.authorization, mark: signIn, after: [.press("o"), .see(signIn)])
    )

    /// Three letters of what could be a passphrase.
    private static let typed: [KeyStop.Step] = [.type("abc"), .see("•••")]

    static let locked = Leg(
        name: "a locked screen",
        stage: .devices,
        approach: [.press("K"), .see("passphrase")],
        [
            KeyStop(.locked, .escape, "clear what is typed", after: typed, .loses("•")),
            KeyStop(.locked, .backspace, "erase a character", after: typed, .loses("•••")),
            KeyStop(
                .locked,
                .delete,
                "erase a character",
                after: [.type("c"), .see("•••")],
                .loses("•••")
            ),
            KeyStop(.locked, .control("u"), "erase all", .loses("•")),
            KeyStop(.locked, .control("l"), "draw the screen again", .redraws),
            KeyStop(.locked, .control("r"), "draw the screen again", .redraws),
            KeyStop(.locked, .control("z"), "suspend", .suspends(mark: "passphrase")),
            KeyStop(
                .locked,
                .enter,
                "open it",
                after: [.type(Terminal.passphrase), .see("•••")],
                .sees(fresh)
            ),
            KeyStop(
                .locked,
                .control("c"),
                "quit at once",
                after: [.press("K"), .see("passphrase")],
                .quits
            ),
        ]
    )
}

extension KeyEffect {
    /// The path of the request has these letters too.
    fileprivate static let clearsFilter = KeyEffect.screen("no filter") { _, screen in
        !screen.contains { $0.replacing("auth/verify", with: "").contains("/verify") }
    }

    /// The path of the request before goes from the form; its row in the log stays.
    fileprivate static let moveOfPath = KeyEffect.screen("another path in the form") { _, screen in
        !screen.contains { $0.contains("path") && $0.contains("/api/tour") }
    }
}
