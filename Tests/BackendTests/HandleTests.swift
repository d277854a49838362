import Backend
import Dialects
import Testing
import Tokens

@Suite("Backend: requests as dialects read them")
struct HandleTests {
    @Test("every request gets the answer that is its own")
    func answers() throws {
        let backend = Bench()
        let realm = Realm.testing()
        let login = backend.handle(.login(credentials: Bench.credentials), in: realm)
        guard case .loginIssued(let facts) = login else { throw Unexpected() }
        let user = Account.sandbox.user
        #expect(backend.handle(.login(credentials: [:]), in: realm) == .loginRejected)
        #expect(
            backend.handle(.protected(facts.access), in: realm)
                == .protectedContent(user: user)
        )
        #expect(
            backend.handle(.feed(facts.access, since: nil), in: realm)
                == .protectedContent(user: user)
        )
        #expect(backend.handle(.protected(nil), in: realm) == .unauthorized(.missing))
        #expect(backend.handle(.sessions(nil), in: realm) == .unauthorized(.missing))
        #expect(backend.handle(.refresh(nil), in: realm) == .refreshRefused(.missing))
        guard case .refreshIssued = backend.handle(.refresh(facts.refresh), in: realm)
        else { throw Unexpected() }
        #expect(
            backend.handle(.logout(.this, refresh: nil, access: nil), in: realm)
                == .logoutRefused(.this)
        )
        #expect(
            backend.handle(.logout(.this, refresh: nil, access: facts.access), in: realm)
                == .loggedOut(.this)
        )
    }

    @Test("a fault may take the backend's place, or only its words")
    func faults() throws {
        let backend = Bench()
        let realm = Realm.testing()
        let facts = try backend.login(in: realm)
        let outage = Fault(name: "outage", summary: "Answers 503") { exchange, _, _ in
            exchange.response = WireResponse(status: 503)
        }
        let commitThenDrop = Fault(
            name: "commit-then-drop",
            summary: "Rotates, and says nothing",
            written: { exchange, _, _ in exchange.delivery = .dropped }
        )
        let renewal = RecognisedRequest.refresh(facts.refresh)
        #expect(backend.exchange(renewal, in: realm, under: outage).response?.status == 503)
        #expect(backend.state().sessions[0].generation == 1)
        #expect(backend.exchange(renewal, in: realm, under: commitThenDrop).delivery == .dropped)
        #expect(backend.state().sessions[0].generation == 2)
        #expect(backend.refresh(facts.refresh, in: realm) == .refused(.spent))
    }
}
