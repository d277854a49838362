import Lifecycle
import Timekeeping
import Tokens

/// How the instants of the present pair were found.
struct ExpiryDetail {
    let pair: PairDescription
    let scene: Scene

    var document: Document {
        var document = Document(title: "Expiry")
        add("Access token", pair.accessExpiry, to: &document)
        if pair.refresh != nil { add("Refresh token", pair.refreshExpiry, to: &document) }
        addRenewal(to: &document)
        document.addHeading("Clocks")
        if let offset = scene.session.serverOffset {
            let low = DurationFormatter.signed(offset.low)
            let high = DurationFormatter.signed(offset.high)
            document.add("server", "between \(low) and \(high) against ours")
        } else {
            document.add("server", "no answer with a date yet", .dim)
        }
        return document
    }

    private func add(_ name: String, _ deadline: Deadline?, to document: inout Document) {
        document.addHeading(name)
        guard let deadline else {
            document.add("expires", "nothing says when", .warning)
            return
        }
        document.add("asked for", scene.clock.when(pair.issuedAt))
        document.add("lives", DurationFormatter.long(deadline.statedLifetime))
        document.add("expires", scene.clock.when(deadline.statedEnd))
        if deadline.expiry.margin > 0 {
            let margin = DurationFormatter.long(deadline.expiry.margin)
            let why = "\(margin) earlier, because its times are whole seconds"
            document.add("counts to", "\(scene.clock.when(deadline.at)): \(why)")
        }
        document.add("source", ExpiryText.source(deadline.expiry.source))
        if deadline.expiry.skewWidth > 0 {
            let width = DurationFormatter.fine(deadline.expiry.skewWidth)
            document.add("unsure by", "\(width): it depends on the server's clock")
        }
        for reading in deadline.expiry.mismatch {
            let life = DurationFormatter.long(reading.stated)
            document.add("⚠ says", "\(ExpiryText.source(reading.source)): \(life)", .warning)
        }
        if !deadline.expiry.mismatch.isEmpty {
            document.add("", "they disagree: the earliest counts", .warning)
        }
    }

    private func addRenewal(to document: inout Document) {
        document.addHeading("Renewal")
        document.add("next", RenewalText(scene: scene).lines.first ?? Line())
        if let plan = scene.session.renewalPlan { document.add("why", CauseText().text(plan)) }
        if let usableUntil = scene.session.usableUntil {
            let isStillSent = scene.session.flags.pauses[.person] != nil
            let then = isStillSent ? "sent on while paused" : "then callers wait"
            document.add("usable till", "\(scene.clock.when(usableUntil)): \(then)")
        }
        for cause in RefreshCause.allCases {
            guard let count = scene.session.statistics.renewals.byCause[cause] else { continue }
            document.add("cause", "\(CauseText().text(cause)) ×\(count)")
        }
    }
}
