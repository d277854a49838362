import Basics

/// The trigger of the next renewal has changed.
package struct RenewalPlanned: EventKind {
    package var plan: RenewalPlan

    package init(_ plan: RenewalPlan) {
        self.plan = plan
    }

    private enum CodingKeys: String, CodingKey {
        case plan = "_0"
    }
}

extension RenewalPlanned {
    package static let name = "renewalPlanned"
    package static let summary = "What renews the pair next is something else than before."
    package static let fields: [EventField<RenewalPlanned>] = [
        .choice("plan", "Whether a timer is set for it.") { $0.plan.code },
        .time("renewsAt", "When the timer fires.", isOptional: true) { $0.plan.renewsAt },
        .choice("cause", "What the timer was set for.", isOptional: true) { $0.plan.reason },
        .time(
            "lockHeldSince",
            "Since when another process is known to hold the lock that it waits for.",
            isOptional: true
        ) { $0.plan.lockHeldSince },
        .integer("lockHolder", "The id of that process, if it is known.", isOptional: true) {
            $0.plan.lockHolder
        },
        .choice("waitsFor", "What brings it if no time does.", isOptional: true) {
            $0.plan.hold
        },
        .choice("reason", "How the session ends if nothing renews it.", isOptional: true) {
            $0.plan.ending
        },
        .sentence("message", "The same for users.") { $1.text($0.plan) },
    ]

    package static let isLasting = true
    package var kept: (any EventKind)? {
        // The change of state says it, or the renewal's end.
        plan == .underWay ? nil : self
    }
    package var endNews: SessionEndNews? { .plan(plan) }
    package var tone: EventTone { plan.renewsAt == nil ? .plain : .dim }
    package var lifelineMark: LifelineMark? { nil }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.renewalPlan = plan
    }
}
