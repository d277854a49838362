import Testing

@testable import UI

@Suite("Themes")
struct ThemeTests {
    @Test("without color there is none")
    func plain() {
        for style in Style.allCases {
            let appearance = Theme.plain.appearance(of: style)
            #expect(appearance.foreground == nil && appearance.background == nil)
        }
    }

    @Test("the ground stays the terminal's own", arguments: Theme.Name.allCases)
    func ground(name: Theme.Name) {
        for style in Style.allCases {
            #expect(Theme.named(name).appearance(of: style).background == nil)
        }
        #expect(Theme.named(name).appearance(of: .plain) == Appearance())
    }

    @Test("eight colors are enough", arguments: [8, 16])
    func eight(colors: Int) {
        for name in Theme.Name.allCases {
            for style in Style.allCases {
                let theme = Theme.named(name).limited(toColors: colors)
                #expect((theme.appearance(of: style).foreground ?? 0) < 8)
            }
        }
        let dark = Theme.dark.limited(toColors: 8)
        #expect(dark.appearance(of: .good).foreground == 2)
        #expect(dark.appearance(of: .bad).foreground == 1)
        #expect(dark.appearance(of: .warning).foreground == 3)
        #expect(dark.appearance(of: .dim) == Appearance(isDim: true))
    }

    @Test("fewer than eight are none")
    func mono() {
        #expect(Theme.light.limited(toColors: 2) == .plain)
    }
}
