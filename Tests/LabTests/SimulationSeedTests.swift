import Testing

@testable import Lab

@Suite("Simulation: the seed", .aside, .serialized)
struct SimulationSeedTests {
    @Test("a number is a number", arguments: [("0", 0), ("17", 17), ("1234567", 1_234_567)])
    func number(text: String, value: UInt64) {
        #expect(SimulationSeed(text)?.value == value)
        #expect(SimulationSeed(text)?.opening == "seed \(value)")
    }

    @Test("the first 16 digits of a commit's hash are the seed, and the first line says so")
    func hash() throws {
        let hash = "8fa746abcdef01234567890123456789abcdef01"
        let seed = try #require(SimulationSeed(hash))
        #expect(seed.value == 0x8fa7_46ab_cdef_0123)
        #expect(seed.opening == "seed \(seed.value) (the first 16 digits of \(hash))")
        #expect(SimulationSeed(hash.uppercased()) == seed)
    }

    @Test("a short hash is taken as it is")
    func shortHash() {
        #expect(SimulationSeed("8fa746a")?.value == 0x8fa_746a)
    }

    @Test(
        "anything else is refused",
        arguments: ["", "-1", "zz", "0x12", "abc", "12 34567", String(repeating: "a", count: 65)]
    )
    func refused(text: String) {
        #expect(SimulationSeed(text) == nil)
    }
}
