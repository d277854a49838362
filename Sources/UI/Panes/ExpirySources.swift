import Basics
import Model

/// When the next renewal comes, where the expiries came from, and whose clock was believed.
struct ExpirySources {
    let viewModel: ViewModel
    let pair: PairDescription

    var renewal: [Line] { RenewalText(viewModel: viewModel).lines }

    var origin: [Line] {
        let told = told
        guard let profile = ExpiryText.unlikeProfile(viewModel.session, pair) else { return told }
        let ways = [profile, "unlike the profile"].map { Line($0, .warning) }
        return told.flatMap { told in ways.map { told + " · " + $0 } } + told
    }

    private var told: [Line] {
        let access = pair.accessExpiry?.expiry.source
        let refresh = pair.refreshExpiry?.expiry.source
        let label = Line("source   ", .dim)
        switch (access, refresh) {
        case (nil, nil):
            let text = ExpiryText.unknown(pair.unusableExpiries.access, pair.origin)
            return [label + Line(text, .warning)]
        case (let access?, let refresh?) where access == refresh:
            return [label + text(access, "both by "), label + text(access, "")]
        case (let access?, let refresh?):
            return [
                label + text(access, "access ") + " · " + text(refresh, "refresh "),
                label + short(access) + " · " + short(refresh),
            ]
        case (let access?, nil): return [label + text(access, "access ")]
        case (nil, let refresh?): return [label + text(refresh, "refresh ")]
        }
    }

    /// For a pane with too few rows for `renewal` and `origin`.
    var both: [Line] {
        let source = pair.accessExpiry.map { " · " + short($0.expiry.source) } ?? Line()
        return renewal.map { $0 + source } + renewal.suffix(1)
    }

    var clock: [Line] {
        let label = Line("server   ", .dim)
        guard let offset = viewModel.session.serverOffset else {
            return [label + Line("its clock is not known yet", .dim)]
        }
        return [label + Line(ExpiryText.clock(offset), offset.isFar ? .warning : .plain)]
    }

    private func text(_ source: ExpirySource, _ before: String) -> Line {
        Line(before) + Line(ExpiryText.source(source), source == .assumed ? .warning : .plain)
    }

    private func short(_ source: ExpirySource) -> Line {
        Line(ExpiryText.short(source), source == .assumed ? .warning : .plain)
    }
}
