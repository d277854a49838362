import Testing
@Test func smoke() { let s = Scene.signedIn(); #expect(s.state == .fresh) }
