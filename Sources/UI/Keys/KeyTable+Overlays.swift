// The keys of the overlays, forms and questions above the panes.

extension KeyTable {
    /// Where letters are text.
    private static let text: Set<KeyMode> = [.prompt, .form, .request, .locked]

    static let experiments: [KeyBinding] = [
        KeyBinding(
            [.enter],
            .runExperiment,
            in: [.experiments],
            .experiments,
            hint: "run it",
            help: "run the selected one (asks first on a real backend)"
        ),
        KeyBinding(
            [.left, "-"],
            .shiftClock(.earlier),
            in: [.experiments],
            .experiments,
            hint: "clock back",
            help: "shift our clock back: to −1 min, −5 min"
        ),
        KeyBinding(
            [.right, "+"],
            .shiftClock(.later),
            in: [.experiments],
            .experiments,
            hint: "clock on",
            help: "on: to +1 min, +5 min",
            joinsPrevious: true
        ),
    ]

    static let faults: [KeyBinding] = [
        KeyBinding(
            [.enter, "o"],
            .faultOnce,
            in: [.faults],
            .faults,
            hint: "once",
            help: "the next time only"
        ),
        KeyBinding(
            [" "],
            .toggleFault,
            in: [.faults],
            .faults,
            hint: "on/off",
            help: "on until it is turned off, or off"
        ),
        KeyBinding(["a"], .allFaultsOff, in: [.faults], .faults, hint: "all off", help: "all off"),
    ]

    static let answers: [KeyBinding] = [
        KeyBinding(["y"], .confirm, in: [.question], .answers, hint: "yes", help: "yes"),
        KeyBinding(
            ["n", "q", .escape],
            .decline,
            in: [.question],
            .answers,
            hint: "no",
            help: "no"
        ),
    ]

    static let filter: [KeyBinding] = [
        KeyBinding([.enter], .keepFilter, in: [.prompt], .filter, hint: "keep", help: "keep it"),
        KeyBinding(
            [.escape],
            .clearFilter,
            in: [.prompt],
            .filter,
            hint: "clear",
            help: "clear it"
        ),
        KeyBinding([.backspace, .delete], .erase, in: text, .filter, help: "erase a character"),
        KeyBinding([.control("u")], .eraseAll, in: text, .filter, help: "erase all"),
    ]

    static let form: [KeyBinding] = [
        KeyBinding(
            [.enter],
            .acceptField,
            in: [.form],
            .form,
            hint: "next, log in",
            help: "next field; in the last one, log in"
        ),
        KeyBinding(
            [.tab, .down],
            .nextField,
            in: [.form],
            .form,
            hint: "next field",
            help: "next field"
        ),
        KeyBinding(
            [.shiftTab, .up],
            .previousField,
            in: [.form],
            .form,
            help: "previous field",
            joinsPrevious: true
        ),
        KeyBinding([.escape], .back, in: [.form], .form, hint: "cancel", help: "cancel"),
    ]

    static let authorization: [KeyBinding] = [
        KeyBinding(
            ["y"],
            .copyURL,
            in: [.authorization],
            .authorization,
            hint: "copy the address",
            help: "copy the address"
        ),
        KeyBinding(
            [.escape],
            .cancelLogIn,
            in: [.authorization],
            .authorization,
            hint: "cancel",
            help: "cancel the sign-in"
        ),
    ]

    static let request: [KeyBinding] = [
        KeyBinding(
            [.enter],
            .acceptField,
            in: [.request],
            .request,
            hint: "next, send",
            help: "next field; in the last one, send"
        ),
        KeyBinding(
            [.tab],
            .nextField,
            in: [.request],
            .request,
            hint: "next field",
            help: "next field"
        ),
        KeyBinding(
            [.shiftTab],
            .previousField,
            in: [.request],
            .request,
            help: "previous field",
            joinsPrevious: true
        ),
        KeyBinding(
            [.up],
            .olderRequest,
            in: [.request],
            .request,
            hint: "earlier request",
            help: "the request before"
        ),
        KeyBinding(
            [.down],
            .newerRequest,
            in: [.request],
            .request,
            help: "the one after",
            joinsPrevious: true
        ),
        KeyBinding([.escape], .back, in: [.request], .request, hint: "cancel", help: "cancel"),
    ]

    static let sessions: [KeyBinding] = [
        KeyBinding(
            ["x", .delete],
            .endSelected,
            in: [.choice],
            .sessions,
            hint: "end it",
            help: "end the selected one (asks first)"
        ),
        KeyBinding(
            ["S"],
            .sessions,
            in: [.choice],
            .sessions,
            hint: "ask again",
            help: "ask for the list again"
        ),
    ]

    static let locked: [KeyBinding] = [
        KeyBinding([.enter], .unlock, in: [.locked], .locked, help: "open it"),
        KeyBinding([.escape], .eraseAll, in: [.locked], .locked, help: "clear what is typed"),
    ]
}
