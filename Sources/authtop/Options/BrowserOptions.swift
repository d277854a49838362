import ArgumentParser

/// The user's way to log in, for a profile that needs a browser.
struct BrowserOptions: ParsableArguments {
    @Flag(
        name: .customLong("no-browser"),
        help: "Start no browser for a login or a logout that needs one: the address is shown."
    )
    var noBrowser = false

    var signIn: SessionPlan.SignIn { noBrowser ? .byHand : .browser }
}
