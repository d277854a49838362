import Basics
import Model

/// The derivation of the instants of the present pair.
struct ExpiryDetail {
    let pair: PairDescription
    let viewModel: ViewModel

    var document: Document {
        var document = Document(title: "Expiry")
        let unusable = pair.unusableExpiries
        add("Access token", pair.accessExpiry, unusable.access, to: &document)
        if pair.refresh != nil {
            add("Refresh token", pair.refreshExpiry, unusable.refresh, to: &document)
        }
        document.add(viewModel.session.refreshTokenProblem)
        if let end = pair.sessionEnd {
            document.addHeading("Session")
            document.add("ends", "\(viewModel.clock.when(end)), whatever is renewed")
            document.add("source", "lifetimes.session of the profile, from the login on")
            let first = pair.endsByAge ? "this" : "the refresh token, if it is not renewed"
            document.add("ends first", first)
        }
        if let refusal = viewModel.session.earlyRefusal { add(refusal, to: &document) }
        addRenewal(to: &document)
        document.addHeading("Clocks")
        if let offset = viewModel.session.serverOffset {
            document.add("server", "\(ExpiryText.bounds(offset)) against ours")
            if offset.high == nil {
                document.add("", "a Date may be old: nothing tells its age yet", .dim)
            }
        } else {
            document.add("server", "no answer with a date yet", .dim)
        }
        return document
    }

    private func add(
        _ name: String,
        _ deadline: Deadline?,
        _ unusable: [UnusableExpiry],
        to document: inout Document
    ) {
        document.addHeading(name)
        for statement in unusable {
            document.add("⚠ not used", ExpiryText.unusable(statement), .warning)
        }
        guard let deadline else {
            let text = unusable.isEmpty ? "nothing says when" : "nothing usable says when"
            document.add("expires", text, .warning)
            return
        }
        // A refresh token that was kept counts from an older answer than its pair's.
        let askedFor = deadline.at.advanced(bySeconds: -deadline.lifetime.inSeconds)
        document.add("asked for", viewModel.clock.when(askedFor))
        if deadline.statedLifetime > 0 {
            document.add("lives", ExpiryText.lifetime(deadline))
        } else {
            let since = DurationFormatter.long(-deadline.statedLifetime)
            document.add("lives", "not at all: it had ended \(since) before", .bad)
        }
        let kind: TokenKind = name == "Access token" ? .access : .refresh
        if let lifetime = viewModel.session.documentedLifetime(otherThanStatedOf: kind, pair) {
            let life = DurationFormatter.long(lifetime)
            document.add("", "unlike the profile, which has \(life)", .warning)
        }
        let mark = ExpiryText.endMark(deadline.expiry)
        document.add("expires", mark + viewModel.clock.when(deadline.statedEnd))
        if deadline.expiry.margin > 0 {
            let margin = DurationFormatter.long(deadline.expiry.margin)
            let why = "\(margin) earlier, because its times are whole seconds"
            document.add("counts to", "\(viewModel.clock.when(deadline.at)): \(why)")
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

    /// Adds the contradiction between the refusal of an access token and its stated lifetime.
    private func add(_ refusal: EarlyRefusal, to document: inout Document) {
        document.addHeading("Refused before its end")
        let age = RefusalText.age(refusal.age, of: refusal.lifetime, refusal.isApproximate)
        document.add("refused at", Line(age, .warning))
        if pair.accessExpiry?.expiry.source.isWithoutZone == true {
            document.add("possible", Line("its end is written in another time zone", .warning))
            document.add("mend", "have the backend write times with their zone")
        }
        let place = viewModel.session.lifetimePlace
        switch refusal.milliseconds {
        case .unlikely: return
        case .possible: document.add("possible", Line("\(place) is in milliseconds", .warning))
        case .probable: document.add("probable", Line("\(place) is in milliseconds", .warning))
        }
        guard let path = viewModel.session.capabilities?.lifetimePlace else { return }
        let line = TOMLDocument.line(["access_expires"], to: .string("milliseconds:\(path)"))
        document.add("mend", line, .strong)
        document.add("", "in [login.response] and [refresh.response] of the profile", .dim)
    }

    private func addRenewal(to document: inout Document) {
        document.addHeading("Renewal")
        document.add("next", RenewalText(viewModel: viewModel).lines.first ?? Line())
        if let plan = viewModel.session.renewalPlan {
            document.add("why", CauseText(keys: viewModel.keys).text(plan))
        }
        if let usableUntil = viewModel.session.usableUntil {
            let isStillSent = viewModel.session.flags.pauses[.user] != nil
            let then = isStillSent ? ": sent on while paused" : ": then requests wait"
            let end = viewModel.clock.when(usableUntil)
            document.add("usable till", viewModel.isObserved ? end : end + then)
        }
        for cause in RefreshCause.allCases {
            guard let count = viewModel.session.statistics.renewals.byCause[cause] else { continue }
            document.add("cause", "\(CauseText().text(cause)) ×\(count)")
        }
    }
}

extension SessionSnapshot {
    /// Where the lifetime of an access token is stated.
    var lifetimePlace: String { capabilities?.lifetimePlace ?? ExpiryText.source(.lifetime) }
}
