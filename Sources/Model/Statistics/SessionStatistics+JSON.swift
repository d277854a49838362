package import Basics

extension SessionStatistics {
    /// As one flat JSON object, in the form of the lines of events.
    ///
    /// Counts that nothing happened for are 0, so that every object has the same members; what is
    /// not known is left out. All durations are in seconds.
    package func json(at moment: Moment) -> String {
        var object = FlatJSON(at: moment)
        object.set("login", login)
        if let startedAt { object.set("since", startedAt.wall) }
        if let endedAt { object.set("endedAt", endedAt.wall) }
        object.set("age", seconds: age(at: moment.now))
        object.set("renewed", renewals.succeeded)
        object.set("renewalsFailed", renewals.failed)
        for cause in RefreshCause.allCases {
            object.set("startedBy\(capitalized(cause.rawValue))", renewals.byCause[cause] ?? 0)
        }
        for kind in RefreshFailure.Class.allCases {
            object.set("failed\(capitalized(kind.rawValue))", failures[kind] ?? 0)
        }
        object.set("leadLeftLeast", seconds: remainingLead.least)
        object.set("leadLeftMedian", seconds: remainingLead.median)
        object.set("withoutToken", seconds: timeWithoutToken.seconds(at: moment.now))
        object.set("timesWithoutToken", timeWithoutToken.count(at: moment.now))
        describeRequests(in: &object)
        object.set("feedMessages", feed.messages)
        object.set("feedSwitches", feed.switches)
        object.set("feedLost", feed.lost)
        object.set("feedDuplicates", feed.duplicates)
        object.set("feedDrops", feed.drops)
        return object.text()
    }

    private func describeRequests(in object: inout FlatJSON) {
        object.set("requests", requests.sent)
        for digit in 1...5 {
            object.set("requests\(digit)xx", requests.byStatusClass[digit] ?? 0)
        }
        object.set("unauthorized", requests.unauthorized)
        object.set("notSent", requests.notSent)
        object.set("unanswered", requests.unanswered)
    }

    private func capitalized(_ name: String) -> String {
        name.prefix(1).uppercased() + name.dropFirst()
    }
}
