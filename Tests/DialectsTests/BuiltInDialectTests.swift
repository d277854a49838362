import Dialects
import Testing

@Suite("Built-in dialects")
struct BuiltInDialectTests {
    @Test("every file that is part of the program can be read")
    func allParse() throws {
        for (name, text) in Dialect.builtInSources {
            let dialect = try Dialect(toml: text, file: "\(name).toml")
            #expect(dialect.name == name)
        }
        #expect(
            Dialect.builtIn().map(\.name)
                == ["bitbasel", "creatist", "intellipost", "melchat", "oauth2", "voltyks"]
        )
    }
}
