import Basics
import Profiles
import Testing

@testable import Backend
@testable import Model

@Suite("Backend: rules that faults break")
struct RuleFaultTests {
    private let backend = Bench()

    private func renew(
        _ token: RefreshToken?,
        in policy: BackendPolicy,
        under fault: Fault
    ) throws -> IssuedFacts {
        let exchange = backend.exchange(.refresh(token), in: policy, under: fault)
        guard case .refreshIssued(let facts)? = exchange.answer else { throw Unexpected() }
        return facts
    }

    @Test("a refresh token that is kept works again, and is replaced once the rule holds again")
    func kept() throws {
        let policy = BackendPolicy.testing()
        let facts = try backend.login(in: policy)
        let next = try renew(facts.refresh, in: policy, under: .keptRefreshToken)
        #expect(next.refresh == facts.refresh && next.access != facts.access)
        let last = try backend.renew(next.refresh, in: policy)
        #expect(last.refresh != facts.refresh)
        #expect(backend.refresh(facts.refresh, in: policy) == .refused(.spent))
    }

    @Test(
        "a replaced refresh token is accepted under every policy while the rule is broken",
        arguments: [
            ReusePolicy.strict, .strictRevokeFamily, .grace(seconds: 30),
            .graceForks(seconds: 30), .oldLivesUntilNewUsed,
        ]
    )
    func reused(reuse: ReusePolicy) throws {
        let policy = BackendPolicy.testing(reuse: reuse)
        let facts = try backend.login(in: policy)
        let next = try renew(facts.refresh, in: policy, under: .acceptedReuse)
        let again = try renew(facts.refresh, in: policy, under: .acceptedReuse)
        #expect(Set([facts.refresh, next.refresh, again.refresh]).count == 3)
        #expect(backend.opens(next.access, in: policy) && backend.opens(again.access, in: policy))
    }

    @Test("a rule that is broken for refreshes is kept for everything else")
    func others() throws {
        let policy = BackendPolicy.testing()
        let fault = Fault.keptRefreshToken
        #expect(fault.canAffect(.refresh(nil)))
        #expect(!fault.canAffect(.login(credentials: [:])))
        #expect(policy.under([]) == policy)
        for fault in Fault.ofRules where fault.kinds != [.refresh] {
            #expect(policy.under([fault]) == policy, "\(fault.name)")
        }
        for fault in Fault.ofRules where fault.kinds == [.refresh] {
            #expect(policy.under([fault]) != policy, "\(fault.name)")
        }
    }

    @Test("the simulation has no fault of a rule, and all others")
    func simulated() {
        let names = Set(Fault.simulated.map(\.name))
        #expect(names.isDisjoint(with: Fault.ofRules.map(\.name)))
        #expect(names.union(Fault.ofRules.map(\.name)) == Set(Fault.ofBackend.map(\.name)))
    }
}
