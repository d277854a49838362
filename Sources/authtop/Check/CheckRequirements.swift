import Basics
import Observer
import Profiles

/// The user's requirements for a backend.
struct CheckRequirements {
    struct Outcome {
        /// As the user wrote it, or as the set names it.
        let name: String
        let outcome: Expectation.Outcome
        /// Why no check can show it.
        var reason: UntestableReason?
    }

    private let expectations: [Expectation]
    private let sets: [ExpectationSet]

    init(expect: [String], against: [String]) throws {
        func words(_ options: [String]) -> [String] {
            options.flatMap { $0.parts(at: ",", keepsEmpty: true) }
                .map { String($0.trimmingBlanks) }
        }
        do throws(ExpectationError) {
            var expectations: [Expectation] = []
            for word in words(expect) { expectations.append(try Expectation(parsing: word)) }
            self.expectations = expectations
        } catch {
            throw CommandFailure(.badInput, "--expect: \(CheckText.text(error))")
        }
        sets = try words(against).map { name in
            guard let set = ExpectationSet(rawValue: name) else {
                let error = CheckText.text(.unknownSet(name))
                throw CommandFailure(.badInput, "--against: \(error)")
            }
            return set
        }
    }

    /// Fails if a set is not for a profile.
    func check(for chosen: ChosenProfile) throws {
        guard sets.contains(.guide), GuideChecklist(ofDialect: chosen.dialect.name) == nil else {
            return
        }
        let names = GuideChecklist.dialects.joined(separator: ", ")
        throw CommandFailure(
            .badInput,
            "--against guide: \(chosen.name) speaks \(chosen.dialect.name), which has no guide: "
                + "expected a profile that extends \(names)"
        )
    }

    func outcomes(in report: CheckReport, dialect: String) -> [Outcome] {
        expectations.map { expectation in
            Outcome(
                name: "\(expectation.subject.rawValue)=\(expectation.value)",
                outcome: expectation.outcome(in: report)
            )
        }
            + sets.flatMap { set in
                set.results(in: report, dialect: dialect).map { result in
                    Outcome(name: result.name, outcome: result.outcome, reason: result.reason)
                }
            }
    }
}
