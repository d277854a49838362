import ArgumentParser

/// The user's way to sign in, for a profile that needs a browser.
struct BrowserOptions: ParsableArguments {
    @Flag(
        name: .customLong("no-browser"),
        help: "Start no browser for a sign-in that needs one: the address is shown."
    )
    var noBrowser = false
}
