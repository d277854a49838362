import Observer
import Profiles
import Testing
import UI

@testable import authtop

@Suite("authtop check: the keys of its screen")
struct CheckKeyTests {
    private static func screen() throws -> CheckScreen {
        let dialect = try #require(Dialect.builtIn(named: "voltyks"))
        return CheckScreen(title: "acme", machine: CheckMachine(dialect: dialect, credentials: [:]))
    }

    private static func hints(_ screen: CheckScreen) -> String? {
        var screen = screen
        return screen.render(columns: 80, rows: 24).text.split(separator: "\n").last.map(
            String.init
        )
    }

    @Test("no key means two things, and each has words")
    func unambiguous() {
        let keys = CheckScreen.keys.flatMap(\.keys)
        #expect(Set(keys).count == keys.count)
        #expect(CheckScreen.keys.allSatisfy { !$0.help.isEmpty })
    }

    @Test("the last row names the keys that work, in the probes and in the exchanges of one")
    func lastRow() throws {
        var screen = try Self.screen()
        #expect(Self.hints(screen) == " ↑ ↓ select  Enter exchanges  q stop")
        #expect(screen.press(.enter) == .stay)
        #expect(Self.hints(screen) == " ↑ ↓ scroll  Esc back")
        #expect(screen.press(.escape) == .stay)
        #expect(screen.press("q") == .stay)
        #expect(Self.hints(screen) == " ↑ ↓ select  Enter exchanges  q leave them")
        #expect(screen.press(.control("c")) == .leave)
    }
}
