import Testing

@testable import Terminal

@Suite("Locale for characters")
struct LocaleNamesTests {
    @Test("the strongest variable that is not empty names it")
    func strongest() {
        let environment = ["LC_ALL": "", "LC_CTYPE": "de_DE", "LANG": "fr_FR.UTF-8"]
        #expect(localeNames(in: environment) == ["de_DE", "C"])
    }

    @Test(
        "a UTF-8 locale that is not installed still means UTF-8",
        arguments: ["en_US.UTF-8", "C.utf8", "de_DE.UTF-8@euro"]
    )
    func fallback(name: String) {
        #expect(localeNames(in: ["LANG": name]) == [name, "C.UTF-8", "C"])
    }

    @Test("without any it is plain ASCII")
    func none() {
        #expect(localeNames(in: [:]) == ["C"])
    }
}
