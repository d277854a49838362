import FoundationEssentials
import Testing

/// The names and texts that the project has given up for the usual ones.
@Suite("The vocabulary")
struct VocabularyTests {
    /// Identifiers that only the project understood, and what to write instead.
    private static let identifiers = [
        "ActObstacle": "ActionAvailability", "ActRun": "OperationRun", "ActStep": "OperationStep",
        "AnswerBook": "ResponseTemplates", "AnswerGap": "ResponsePlaceholder",
        "AnswerPlace": "JSONLocation", "TokenPlace": "TokenLocation",
        "BackendHabit": "BackendBehavior", "RotationHabit": "RotationBehavior",
        "Realm": "BackendPolicy", "realm": "policy",
        "CauseWords": "CauseText", "ClockWords": "ClockFormatter", "CountWords": "CountFormatter",
        "DurationWords": "DurationFormatter", "FailureWords": "FailureText",
        "ReasonWords": "ReasonText", "StateWords": "StateText", "StatusWords": "StatusText",
        "StatePhrase": "StateSummary", "FeedPhrase": "FeedSummary",
        "Errand": "PendingExchange", "errand": "pendingExchange",
        "FaultBoard": "FaultController", "FaultSwitch": "FaultSetting",
        "FaultOrder": "FaultRequest", "FeedTurn": "FeedDecision",
        "feedTurnAway": "feedCloseOnOpen",
        "Forgetting": "Erasure", "LivingToken": "UnrevokedToken", "TokenAnatomy": "DecodedToken",
        "Happening": "SimulationEvent", "Mishap": "Disruption", "mishap": "disruption",
        "Ingredient": "ScenarioFeature", "heed": "observe", "fortune": "randomness",
        "Prospect": "UpcomingWork", "WorldClock": "SimulatedClock",
        "NoTokens": "EmptyTokensPane", "TokenlessTime": "TimeWithoutToken",
        "tokenless": "timeWithoutToken",
        "ProfileTraces": "ProfileData", "TraceFile": "DataFile", "traces": "localData",
        "SessionTraits": "SessionConfiguration", "traits": "configuration",
        "VaultSite": "VaultLocation", "VaultWhereabouts": "StorageLocation",
        "StoredPlaces": "StorageSummary", "StoredSites": "StoredVaults",
        "VaultWorld": "VaultEnvironment", "whereabouts": "storageLocation",
        "isEndFixed": "hasFixedExpiry", "wasKept": "isUnchanged",
        "lockPatience": "lockTimeout", "flightPatience": "flightTimeout", "patience": "timeout",
        "refusedAct": "actionRejected", "feedAlarm": "feedAliveAfterLogout",
        "stormUntil": "breakerOpenUntil", "tellingWaiters": "revocationWaiters",
        "Deed": "UserAction", "Death": "Termination", "Brain": "SimulatedClient",
        "FaultedErrand": "PendingExchange", "FeedTraits": "FeedConfiguration",
        "SecondOpinion": "IntrospectionResult", "SecondOpinions": "IntrospectionLog",
        "askForOpinions": "introspect", "Lane": "ProbeSession", "LeadLeft": "RemainingLead",
        "Concern": "Urgency", "Scene": "ViewModel", "scene": "viewModel",
        "SeenExchanges": "ProfileEvidence", "LikelyAnswers": "RefusalTemplates",
        "OwnAnswer": "ProxyResponse", "TokenSighting": "TokenOccurrence",
        "RawSighting": "FoundToken", "Bystander": "PassiveObserver",
        "Box": "Overlay", "OpenBox": "OpenOverlay", "BoxView": "OverlayView", "PaneBox": "PaneView",
        "eights": "eightByteSequences", "isBearable": "isAcceptable",
        "isHurried": "isCloseRequested", "withoutTwins": "markingAmbiguousIDs",
        "suspendSomebody": "suspendAtRandom", "isKnownToNobody": "isRefusalUnrecorded",
        "ObservedStanding": "ObservedStatus", "setStanding": "setLiveState",
        "Standing": "LiveState", "standAsBefore": "restoreStatus", "standings": "statuses",
        "standingsBefore": "statusBeforeRenewal", "enterZone": "applySchedule",
        "TellingPace": "ReportThrottle", "JudgingPace": "RateLimit",
        "learnRivals": "reclassifyEarlierAttempts", "rivalDepth": "searchDepth",
        "asksByName": "isRenewalByName", "isOfSingleToken": "renewsSessionToken",
        "adoptHome": "adoptSharedFamily", "homeProbes": "sharedFamilyProbes",
        "Track": "ProbeSequence", "ClumsyClient": "FaultyDemoClient",
        "WakeWatch": "SuspensionDetector", "StoreScene": "StoreFixture",
        "TourScene": "TourStage", "Numbered": "LogEntry", "concern": "urgency",
        "Habit": "Behavior", "honours": "accepts", "neighbour": "neighbor",
        "noteConcerns": "updateUrgencies", "noteReplaced": "recordReplaced",
        "noteInbound": "recordInbound", "noteSaved": "recordSaved",
        "noteUnsaved": "recordUnsaved", "noteRejection": "recordRejection",
        "noteFlight": "recordFlight", "noteDial": "recordDial", "noteFailure": "recordFailure",
        "sightings": "occurrences", "leadLeft": "remainingLead", "startsAnew": "resetsContext",
        "Misfit": "Mismatch", "misfits": "mismatches", "Aftermath": "StateAfterReplay",
        "Pulse": "MessageRhythm", "wholeUp": "roundedUp", "judgeInTurn": "evaluateDueRuns",
        "tellDue": "reportDue",
    ]

    /// The targets whose text is checked for pronouns of persons.
    private static let plainTargets = [
        "Backend", "Basics", "Benchmarks", "Client", "Fuzzing", "HTTP", "Lab", "Model", "Observer",
        "Platform", "Profiles", "Proxy", "Sandbox", "Simulation", "Stores", "Terminal", "UI",
        "authtop",
    ]

    /// Phrases in texts, comments and names of tests, and what to write instead.
    private static let phrases = [
        "came twice": "duplicate", "backend unable": "backend unavailable",
        "asked wrongly": "request rejected", "buys nothing any more": "is no longer accepted",
        "nobody is signed in": "signed out", "out of a box": "close",
        "yet to be told": "not sent yet", "feed-turn-away": "feed-close-on-open",
        "olour": "olor", "ecognis": "ecogniz", "ehaviour": "ehavior",
        "second opinion": "introspection",
        "for ever ": "indefinitely", "for ever.": "indefinitely", "under way": "in progress",
        "what came of": "the result of", "became of": "the result of",
        "becomes of": "the result of", "befall": "happens to", "befell": "happened to",
        "buys ": "obtains", "so many": "this many", "has it so": "requires it",
        "in vain": "without success", " anew": "again", " our clock": "authtop's clock",
        "a person": "the user", "people": "users", "worlds": "simulated systems",
        "for want of": "without", "who is told": "receives", "eighbour": "neighbor",
        "mishap": "disruption",
    ]

    @Test("is the usual one, in code, tests, profiles and the README")
    func usual() throws {
        var places: [String] = []
        for file in try Self.files() {
            let phrases = Self.phrases.filter { file.contains($0.key) }
            let hasIdentifier = Self.identifiers.keys.contains { file.contains($0) }
            guard hasIdentifier || !phrases.isEmpty else { continue }
            for (index, line) in file.lines.enumerated() {
                let place = "\(file.path):\(index + 1)"
                for (phrase, instead) in phrases where line.contains(phrase) {
                    places.append("\(place): \(phrase): write \(instead)")
                }
                guard file.path.hasSuffix(".swift") else { continue }
                for word in Self.words(of: line) {
                    guard let instead = Self.identifiers[word] else { continue }
                    places.append("\(place): \(word): write \(instead)")
                }
            }
        }
        #expect(places.isEmpty)
    }

    @Test("names no persons for the parts of a program in comments", arguments: Self.plainTargets)
    func persons(target: String) throws {
        let pattern = /\b(whoever|nobody|somebody|everybody|anybody|whom)\b/.ignoresCase()
        let places = try SourceTree("Sources/\(target)").files.flatMap { file in
            file.lines.enumerated().filter { $0.element.contains(pattern) }
                .map { "\(file.path):\($0.offset + 1)" }
        }
        #expect(places.isEmpty)
    }

    @Test("is looked for as whole identifiers")
    func wholeIdentifiers() {
        #expect(
            Self.words(of: "let errand = errands.first") == ["let", "errand", "errands", "first"]
        )
        #expect(Self.identifiers["errand"] != nil && Self.identifiers["errands"] == nil)
    }

    /// The identifiers of a line's code; literals are left out, for a server's texts stand there.
    private static func words(of line: String) -> [String] {
        let code = line.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset.isMultiple(of: 2) }.map { String($0.element) }.joined(
                separator: " "
            )
        guard !isComment(code) else { return [] }
        return code.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
    }

    private static func isComment(_ line: String) -> Bool {
        line.drop { $0 == " " }.hasPrefix("//")
    }

    /// Sources, tests, the built-in profiles and all documents, without this file.
    private static func files() throws -> [SourceTree.File] {
        let own = #filePath.split(separator: "/").last.map(String.init) ?? ""
        var files = try ["Sources", "Tests"].flatMap { folder in
            try SourceTree(folder).files.filter { $0.name != own }
        }
        let top = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let manager = FileManager.default
        let profiles = try manager.subpathsOfDirectory(atPath: "\(top)/assets")
            .filter { $0.hasSuffix(".toml") }.map { "assets/\($0)" }
        let documents = try ["Sources/authtop/authtop.docc", ".github"].flatMap { folder in
            try manager.subpathsOfDirectory(atPath: "\(top)/\(folder)")
                .filter { $0.hasSuffix(".md") }.map { "\(folder)/\($0)" }
        }
        for path in profiles + documents + ["README.md"] {
            let data = try #require(manager.contents(atPath: "\(top)/\(path)"))
            files.append(SourceTree.File(path: path, data: data))
        }
        return files
    }
}
