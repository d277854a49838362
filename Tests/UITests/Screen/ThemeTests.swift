import Profiles
import Testing

@testable import UI

@Suite("Themes")
struct ThemeTests {
    private static func theme(_ text: String) throws(DialectError) -> Theme {
        try Theme(toml: text, file: "mine.toml", name: "mine", extending: Theme.builtIn)
    }

    @Test("without color there is none")
    func plain() {
        for style in Style.allCases {
            let appearance = Theme.plain.appearance(of: style)
            #expect(appearance.foreground == nil && appearance.background == nil)
        }
    }

    @Test("the ground stays the terminal's own", arguments: Theme.builtIn)
    func ground(theme: Theme) {
        for style in Style.allCases {
            #expect(theme.appearance(of: style).background == nil)
        }
        #expect(theme.appearance(of: .plain) == Appearance())
    }

    @Test("those of the program can be read, and have every style")
    func builtIn() {
        #expect(Theme.builtIn.map(\.name) == ["dark", "light", "plain"])
        for theme in [Theme.dark, .light] {
            #expect(theme.appearances.count == Theme.styles.count)
            #expect(theme.appearance(of: .good).foreground != nil)
        }
        #expect(Theme.light.ground == .light)
    }

    @Test("every style but the plain one has a name in a file")
    func names() {
        #expect(Set(Theme.styles.map(\.style)) == Set(Style.allCases).subtracting([.plain]))
        #expect(Set(Theme.styles.map(\.name)).count == Theme.styles.count)
    }

    @Test("a file has the colors of 16, of 256 and true ones, and what it leaves out is extended")
    func colors() throws {
        let theme = try Self.theme(
            """
            extends = "light"
            [styles]
            good = "bright_green"
            busy = 80
            warning = "#ffAF00"
            bad = { color = "red", on = "#101010", bold = true, underlined = true }
            """
        )
        #expect(theme.ground == .light)
        #expect(theme.appearance(of: .good) == Appearance(foreground: .palette(10)))
        #expect(theme.appearance(of: .busy) == Appearance(foreground: .palette(80)))
        let amber = Color.rgb(red: 255, green: 175, blue: 0)
        #expect(theme.appearance(of: .warning) == Appearance(foreground: amber))
        let bad = theme.appearance(of: .bad)
        #expect(bad.foreground == .palette(1) && bad.isBold && bad.isUnderlined)
        #expect(bad.background == .rgb(red: 16, green: 16, blue: 16))
        #expect(theme.appearance(of: .dim) == Theme.light.appearance(of: .dim))
    }

    @Test(
        "a mistake is told by file, line and key",
        arguments: [
            ("style = 1", "mine.toml:1: style: unknown key"),
            ("extends = \"pink\"", "expected one of dark, light, plain"),
            ("ground = \"grey\"", "expected one of dark, light"),
            ("[styles]\ngod = 1", "mine.toml:2: styles.god"),
            ("[styles]\ngood = 256", "mine.toml:2: styles.good"),
            ("[styles]\ngood = \"#12345\"", "\"#rrggbb\""),
            ("[styles]\ngood = \"#+12345\"", "\"#rrggbb\""),
            ("[styles]\ngood = { hue = 1 }", "styles.good.hue"),
            ("[styles]\ngood = { bold = 1 }", "styles.good.bold"),
            ("[styles", "mine.toml:1"),
        ]
    )
    func mistakes(text: String, message: String) {
        let error = #expect(throws: DialectError.self) { try Self.theme(text) }
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    }
}
