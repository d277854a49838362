/// A list of `recognition.toml`, by the path of its key.
enum RecognitionList: String, Sendable, Hashable, CaseIterable {
    case headersAccess = "headers.access"
    case headersRefresh = "headers.refresh"
    case headersSession = "headers.session"
    case headersID = "headers.id"
    case headersSubject = "headers.subject"
    case parametersAccess = "parameters.access"
    case parametersRefresh = "parameters.refresh"
    case parametersHidden = "parameters.hidden"
    case keysAccess = "keys.access"
    case keysRefresh = "keys.refresh"
    case keysSession = "keys.session"
    case keysID = "keys.id"
    case keysToken = "keys.token"
    case keysKind = "keys.kind"
    case keysContainer = "keys.container"
    case keysRecord = "keys.record"
    case cookiesRefresh = "cookies.refresh"
    case cookiesID = "cookies.id"
    case cookiesAccess = "cookies.access"
    case cookiesSession = "cookies.session"
    case cookiesNever = "cookies.never"
    case cookiesIgnored = "cookies.ignored"
    case cookiesMeasuring = "cookies.measuring"
    case schemesAccess = "schemes.access"
    case schemesClient = "schemes.client"
    case subprotocolsBeginnings = "subprotocols.beginnings"
    case subprotocolsBefore = "subprotocols.before"
    case secondsAccess = "lifetimes.seconds.access"
    case secondsRefresh = "lifetimes.seconds.refresh"
    case millisecondsAccess = "lifetimes.milliseconds.access"
    case millisecondsRefresh = "lifetimes.milliseconds.refresh"
    case minutesAccess = "lifetimes.minutes.access"
    case minutesRefresh = "lifetimes.minutes.refresh"
    case endsAccess = "ends.access"
    case endsRefresh = "ends.refresh"
    case endsToken = "ends.token"
    case pathsRefresh = "paths.refresh"
    case pathsLogout = "paths.logout"
    case pathsSession = "paths.session"
    case pathsRevocation = "paths.revocation"
    case pathsTokenRevocation = "paths.token_revocation"
    case pathsQuestion = "paths.question"
    case pathsVerification = "paths.verification"
    case developmentProtocols = "development.protocols"
    case developmentPaths = "development.paths"
    case grantsNames = "grants.names"
    case grantsOperations = "grants.operations"
    case grantsRefresh = "grants.refresh"
    case credentialsSecret = "credentials.secret"
    case credentialsProof = "credentials.proof"
    case credentialsForgery = "credentials.forgery"
    case credentialsUser = "credentials.user"
    case credentialsWords = "credentials.words"
    case credentialsVocabulary = "credentials.vocabulary"
    case userName = "user.name"
    case userID = "user.id"
    case claimsSession = "claims.session"
    case claimsShown = "claims.shown"
    case claimsOrganization = "claims.organization"
    case secretsNames = "secrets.names"
    case secretsParts = "secrets.parts"
    case secretsCodes = "secrets.codes"
    case secretsCodeKinds = "secrets.code_kinds"
    case secretsOtherCodes = "secrets.other_codes"
    case secretsFacts = "secrets.facts"
    case secretsMeasures = "secrets.measures"
    case secretsSchemes = "secrets.schemes"
    case secretsLabels = "secrets.labels"
    case linksBeforeTokens = "links.before_tokens"
    case linksBeforeCodes = "links.before_codes"
    case linksSteps = "links.steps"
    case missingRedacted = "missing.redacted"
    case missingPlaceholders = "missing.placeholders"
    case messagesType = "messages.type"
    case messagesNumber = "messages.number"
    case messagesStates = "messages.states"
    case messagesFailures = "messages.failures"
    case messagesErrors = "messages.errors"
    case messagesTexts = "messages.texts"
    case errorsPlaces = "errors.places"
    case errorsTexts = "errors.texts"
    case errorsCodes = "errors.codes"
    case errorsEnded = "errors.ended"
    case errorsLater = "errors.later"
    case resultsSuccess = "results.success"
    case resultsFailures = "results.failures"
    case resultsCodes = "results.codes"
    case refusalSubjects = "refusal_words.subjects"
    case refusalVerdicts = "refusal_words.verdicts"
    case refusalStatements = "refusal_words.statements"
    case refusalOthers = "refusal_words.others"
    case refusalForgery = "refusal_words.forgery"
    case refusalHints = "refusal_words.hints"

    /// The form of the list's entries.
    enum Form: Sendable {
        /// Names, which may have a `*`.
        case names
        /// The same, compared as they are written but for their case.
        case written
        /// Words without a `*`, looked for within others.
        case parts
        /// Paths of keys, or claims, exactly as they are written.
        case paths
    }

    var form: Form {
        switch self {
        case .cookiesMeasuring, .missingPlaceholders, .errorsEnded, .errorsLater,
            .resultsFailures:
            .written
        case .cookiesIgnored, .secretsParts, .subprotocolsBeginnings, .missingRedacted,
            .refusalSubjects, .refusalVerdicts, .refusalStatements, .refusalOthers,
            .refusalForgery, .refusalHints, .messagesFailures:
            .parts
        case .errorsPlaces, .errorsTexts, .claimsSession, .claimsShown, .claimsOrganization,
            .messagesNumber, .messagesStates, .messagesErrors, .messagesTexts, .keysKind,
            .keysContainer, .keysRecord, .secretsLabels, .resultsSuccess:
            .paths
        default: .names
        }
    }
}

/// The entries of all lists.
struct RecognitionLists: Sendable {
    private var entries: [RecognitionList: [String]] = [:]

    var count: Int { entries.values.reduce(0) { $0 + $1.count } }

    mutating func add(_ words: [String], to list: RecognitionList) {
        entries[list, default: []] += words
    }

    /// Returns the entries as they are written.
    func words(_ list: RecognitionList) -> [String] { entries[list] ?? [] }

    /// Returns the entries as names.
    func names(_ list: RecognitionList) -> NameList {
        NameList(words(list), asWritten: list.form == .written)
    }
}
