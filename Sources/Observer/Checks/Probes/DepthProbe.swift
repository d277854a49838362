/// Uses a refresh token again that was replaced twice.
struct DepthProbe: Probe {
    let name = ProbeName.depth

    func cost(_ options: CheckOptions) -> ProbeCost {
        ProbeCost(logins: 1, refreshes: 4, requests: 5)
    }

    func skip(_ record: CheckRecord, _ options: CheckOptions) -> SkipReason? {
        record.unlessRotated
    }

    func script(of probeSession: ProbeSession, _ record: CheckRecord) -> [Step] {
        let steps: [Step] = [.login, .refresh(1), .refresh(2), .refresh(1)]
        return probeSession[3]?.isRefusal == true ? steps + [.refresh(3)] : steps
    }

    func verdicts(from probeSessions: [ProbeSession], _ record: CheckRecord) -> [Verdict] {
        guard let probeSession = probeSessions.first, let replay = probeSession[3] else {
            return []
        }
        guard replay.isRefusal else { return [.ancestor(.accepted)] }
        guard let after = probeSession[4] else { return [] }
        return [.ancestor(after.isRefusal ? .endsSession : .refused)]
    }
}

extension CheckRecord {
    /// Why a probe of replaced tokens has nothing to find out.
    var unlessRotated: SkipReason? {
        if let unlessRefreshed { return unlessRefreshed }
        let rotations = comparableSessions.flatMap(\.exchanges).lazy
            .filter(\.action.isRefresh).compactMap { $0.issued?.refresh }
        return rotations.isEmpty || rotations.contains(.new) ? nil : .notRotated
    }

    /// Whether a refresh brings no refresh token, so that the one that was sent lives on, is spent, or
    /// will be after a time.
    var isSilent: Bool { comparableSessions.lazy.compactMap(\.firstRotation).first == .absent }

    /// Why a probe of the time after a refresh has nothing to find out.
    var unlessAccepted: SkipReason? {
        if !isSilent, let reason = unlessRotated { return reason }
        let clean = comparableSessions.flatMap(\.replays).filter(\.isClean)
        let isRefused = clean.contains { !$0.isAccepted }
        return isRefused && !clean.contains(where: \.isAccepted) ? .noWindow : nil
    }
}
