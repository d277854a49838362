import Foundation
import Testing

@testable import Profiles

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

    @Test("every provider's profile can be read, and is called as its file")
    func providers() throws {
        for name in Profile.providerSources.keys {
            let source = try #require(ProfileSource.builtIn(name))
            let profile = try Profile(source, known: [], lookup: { ProfileSource.builtIn($0) })
            #expect(profile.name == name)
            #expect(profile.dialect.name == name)
        }
        #expect(Profile.providers().map(\.name) == Profile.providerSources.keys.sorted())
    }

    @Test("a provider's profile cites where each of its facts is documented")
    func citations() {
        for (name, text) in Profile.providerSources {
            let prose = text.replacing("\n# ", with: " ")
            #expect(prose.contains("not run against the service"), "\(name)")
            #expect(text.components(separatedBy: "https://").count > 5, "\(name)")
        }
    }
}
