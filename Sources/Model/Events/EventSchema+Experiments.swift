import Basics

/// Experiments with the backend.
extension EventSchema {
    static let experiments = list {
        EventDefinition(
            "experimentStarted",
            "A person began an experiment with the backend.",
            { kind -> Experiment? in
                if case .experimentStarted(let experiment) = kind { experiment } else { nil }
            },
            [.choice("experiment", "Which one.") { $0 }]
        )
        EventDefinition(
            "experimentEnded",
            "An experiment with the backend is over.",
            { kind -> ExperimentResult? in
                if case .experimentEnded(let result) = kind { result } else { nil }
            },
            [
                .choice("experiment", "Which one.") { $0.experiment },
                .choice("verdict", "What it showed.") { $0.verdict.code },
                .sentence("message", "What it showed, for a person.") { $1.text($0) },
                .integer("status", "The status that decided it.", isOptional: true) {
                    $0.verdict.status
                },
                .seconds(
                    "seconds",
                    "Since the end of an accepted token, or until the feed was open again.",
                    isOptional: true
                ) { $0.verdict.seconds },
                .flag(
                    "accepted",
                    "Whether the second use of a refresh token was accepted.",
                    isOptional: true
                ) { (result: ExperimentResult) -> Bool? in
                    switch result.verdict {
                    case .refusedAlone, .bothRefused: false
                    case .acceptedAgain, .onlyOneValid: true
                    case .sessionRevoked(let wasAccepted): wasAccepted
                    default: nil
                    }
                },
                .flag(
                    "samePair",
                    "Whether both uses brought the same refresh token.",
                    isOptional: true
                ) {
                    if case .acceptedAgain(let isSamePair) = $0.verdict { isSamePair } else { nil }
                },
                .integer("missed", "The feed's messages that are missing.", isOptional: true) {
                    if case .feedReturned(_, let missed) = $0.verdict { missed } else { nil }
                },
            ]
        )
        EventDefinition(
            "clockShifted",
            "A person has shifted the wall clock of the program, by which all times are given.",
            { kind -> Double? in
                if case .clockShifted(let seconds) = kind { seconds } else { nil }
            },
            [
                .seconds("seconds", "How far it is ahead of the machine's; negative if behind.") {
                    $0
                }
            ]
        )
        EventDefinition(
            "faultsChanged",
            "Other faults of the sandbox are on than before.",
            { kind -> FaultsChange? in
                if case .faultsChanged(let change) = kind { change } else { nil }
            },
            [
                .list("faults", "Those that are on, as they are written.") {
                    $0.active.map(JSONValue.string)
                },
                .choice("by", "A person with this program, or seen at the sandbox.") { $0.by },
            ]
        )
    }
}
