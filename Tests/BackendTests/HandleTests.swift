import Basics
import Model
import Profiles
import Testing

@testable import Backend

@Suite("Backend: requests as dialects read them")
struct HandleTests {
    @Test("every request gets the answer that is its own")
    func answers() throws {
        let backend = Bench()
        let policy = BackendPolicy.testing()
        let login = backend.handle(.login(credentials: Bench.credentials), in: policy)
        guard case .loginIssued(let facts) = login else { throw Unexpected() }
        let user = Account.sandbox.user
        #expect(backend.handle(.login(credentials: [:]), in: policy) == .loginRejected)
        #expect(
            backend.handle(.protected(facts.access), in: policy)
                == .protectedContent(user: user)
        )
        #expect(
            backend.handle(.feed(facts.access, since: nil), in: policy)
                == .protectedContent(user: user)
        )
        #expect(backend.handle(.protected(nil), in: policy) == .unauthorized(.missing))
        #expect(backend.handle(.sessions(nil), in: policy) == .unauthorized(.missing))
        #expect(backend.handle(.refresh(nil), in: policy) == .refreshRefused(.missing))
        guard case .refreshIssued = backend.handle(.refresh(facts.refresh), in: policy)
        else { throw Unexpected() }
        #expect(
            backend.handle(.logout(.this, refresh: nil, access: nil), in: policy)
                == .logoutRefused(.this)
        )
        #expect(
            backend.handle(.logout(.this, refresh: nil, access: facts.access), in: policy)
                == .loggedOut(.this)
        )
    }

    @Test("a fault may take the backend's place, or only its words")
    func faults() throws {
        let backend = Bench()
        let policy = BackendPolicy.testing()
        let facts = try backend.login(in: policy)
        let renewal = RecognizedRequest.refresh(facts.refresh)
        #expect(
            backend.exchange(renewal, in: policy, under: .serverError.set(to: 503)).response?.status
                == 503
        )
        #expect(backend.state().sessions[0].generation == 1)
        #expect(backend.exchange(renewal, in: policy, under: .dropAfterCommit).delivery == .dropped)
        #expect(backend.state().sessions[0].generation == 2)
        #expect(backend.refresh(facts.refresh, in: policy) == .refused(.spent))
    }
}
