import Testing

@Suite("The source tree")
struct TidyTests {
    @Test("a target imports only those of ours that the manifest lets it depend on")
    func importsAreDeclared() throws {
        let dependencies = try Manifest.dependencies()
        try #require(dependencies["authtopTests"]?.contains("authtop") == true)
        let offences = try ["Sources", "Tests"].flatMap { folder in
            try SourceTree(folder).files.flatMap { file in
                let allowed = dependencies[file.target, default: []].union([file.target])
                return file.lines.compactMap { line -> String? in
                    let words = line.split(separator: " ")
                    guard let index = words.firstIndex(of: "import"), index <= 1,
                        let module = words.dropFirst(index + 1).first.map(String.init),
                        dependencies.keys.contains(module), !allowed.contains(module)
                    else { return nil }
                    return "\(file.path): \(line)"
                }
            }
        }
        // Such a build fails or passes by the order in which its modules happen to be compiled.
        #expect(offences.isEmpty, "move the code down, pass a value up, or declare the dependency")
    }

    @Test(
        "the real clock and randomness are named in one place",
        arguments: ["Date()", "ContinuousClock()", "SuspendingClock()", "DispatchTime.now"]
    )
    func clocksAreInjected(name: String) throws {
        let offences = try SourceTree("Sources").places {
            $0.name != "LiveEnvironment.swift" && $0.name != "LiveTimekeeper.swift"
        } where: {
            $0.contains(name)
        }
        #expect(offences.isEmpty, "take a Timekeeper through the initializer")
    }

    @Test("randomness comes from a generator that was passed in")
    func randomnessIsInjected() throws {
        let offences = try SourceTree("Sources").places {
            !["LiveEnvironment.swift", "LabEnvironment.swift"].contains($0.name)
        } where: { line in
            (line.contains(".random(in:") && !line.contains("using:"))
                || line.contains("SystemRandomNumberGenerator()")
        }
        #expect(offences.isEmpty, "take a generator through the initializer")
    }

    @Test("the ports of a session are chosen in one place of the program")
    func sessionsAreOpenedInOnePlace() throws {
        let places = try SourceTree("Sources/authtop").places(where: {
            $0.contains("SessionEnvironment(")
        })
        #expect(places.count == 1, "open the session by SessionPlan")
        #expect(places.allSatisfy { $0.contains("/SessionPlan.swift:") })
    }

    @Test("no switch goes over kinds of events: its default would hide that a new one is missing")
    func kindsAreNotSwitchedOver() throws {
        let files = try SourceTree("Sources/Model/Events/Kinds").files
        let kinds = Set(files.map { String($0.name.dropLast(".swift".count)) })
        try #require(kinds.contains("SignedOut"))
        let offences = try SourceTree("Sources").places(where: { line in
            guard line.contains("case ") else { return false }
            let words = line.split { !$0.isLetter }.map(String.init)
            return words.first == "case"
                && zip(words, words.dropFirst()).contains {
                    ["as", "is"].contains($0) && kinds.contains($1)
                }
        })
        #expect(offences.isEmpty, "let EventKind, or a protocol of its own, ask the kind")
    }

    @Test("no test sleeps for time to pass")
    func testsDoNotSleep() throws {
        let offences = try SourceTree("Tests").places {
            $0.target != "TidyTests"
        } where: { line in
            line.contains("Task.sleep(") && !line.contains("// polls")
        }
        #expect(offences.isEmpty, "wait for sleepers on a virtual clock, or poll for the condition")
    }

    @Test(
        "what the compiler cannot check says why it is sound",
        arguments: ["@unchecked Sendable", "nonisolated(unsafe)"]
    )
    func uncheckedIsExplained(marker: String) throws {
        let offences = try SourceTree("Sources").files.flatMap { file in
            file.lines.indices.compactMap { index -> String? in
                guard file.lines[index].contains(marker),
                    !file.lines[index].drop(while: { $0 == " " }).hasPrefix("//")
                else { return nil }
                let before = file.lines[..<index].last ?? ""
                return before.drop { $0 == " " }.hasPrefix("//") ? nil : "\(file.path):\(index + 1)"
            }
        }
        #expect(offences.isEmpty, "write a comment line above it")
    }

    @Test("no type bears its module's name")
    func modulesAreNotShadowed() throws {
        let offences = try SourceTree("Sources").files.flatMap { file in
            file.lines.filter { line in
                ["struct", "class", "enum", "actor", "protocol"].contains { keyword in
                    line.hasPrefix("package \(keyword) \(file.target) ")
                        || line.hasPrefix("package \(keyword) \(file.target):")
                        || line.hasPrefix("package final \(keyword) \(file.target)")
                            && !line.hasPrefix("package final \(keyword) \(file.target)S")
                }
            }
            .map { "\(file.path): \($0)" }
        }
        #expect(offences.isEmpty, "name the thing for what it is")
    }

    @Test("what other targets use is package, and public only where a generic must be specialized")
    func nothingIsPublic() throws {
        let offences = try SourceTree("Sources").places { file in
            !["ASCIIText.swift", "BoundedLog.swift", "NameList.swift", "Shared.swift"]
                .contains(file.name)
        } where: { line in
            line.drop { $0 == " " }.hasPrefix("public ")
        }
        #expect(offences.isEmpty, "this is a program: package access suffices")
    }

    @Test("the core makes no sentences: it holds no text with a space in it")
    func coreHoldsNoProse() throws {
        let offences = try SourceTree("Sources").places { file in
            // The texts of these document the schema, for a page and a check.
            ["Client", "Model"].contains(file.target) && !file.name.hasPrefix("EventSchema")
                && !file.path.hasPrefix("Sources/Model/Events/Kinds/")
                && file.name != "SessionEndsSoon.swift" && file.name != "Metric+All.swift"
                // An entry of the catalogue has its sentence, and its syntax the words for a mistake.
                && !file.path.hasPrefix("Sources/Model/Faults/")
                // Texts for a browser, and texts of a failure of the store.
                && !["Sources/Client/Ports/", "Sources/Client/Store/"].contains {
                    file.path.hasPrefix($0)
                }
        } where: { line in
            guard line.utf8.contains(UInt8(ascii: "\"")), !line.contains("precondition")
            else { return false }
            // A format's name, as JSON lines have it.
            guard !line.contains(#""JWT \($0.prefix(12))""#) else { return false }
            let text = line.replacing(/\\\([^)]*\)/, with: "")
            return text.matches(of: /"(?:[^"\\]|\\.)*"/).contains { $0.0.contains(" ") }
        }
        #expect(offences.isEmpty, "state a cause as a type, and say it in UI/Text")
    }

    @Test("a rule that is broken is reported")
    func offencesAreFound() throws {
        let places = try SourceTree("Tests").places {
            $0.name == "TidyTests.swift"
        } where: {
            $0.contains("offencesAreFound")
        }
        #expect(places.isEmpty == false)
    }
}
