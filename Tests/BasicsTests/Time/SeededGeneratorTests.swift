import Basics
import Testing

@Suite("SeededGenerator")
struct SeededGeneratorTests {
    @Test("it is SplitMix64, so a seed always means the same run")
    func vector() {
        var generator = SeededGenerator(seed: 1_234_567)
        let draws = (0..<3).map { _ in generator.next() }
        #expect(
            draws == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
            ]
        )
    }

    @Test("the same seed gives the same numbers, another seed others")
    func determinism() {
        var (a, b, c) = (
            SeededGenerator(seed: 7), SeededGenerator(seed: 7), SeededGenerator(seed: 8)
        )
        let draws = (0..<100).map { _ in (a.next(), b.next(), c.next()) }
        #expect(draws.allSatisfy { $0.0 == $0.1 })
        #expect(draws.contains { $0.0 != $0.2 })
        #expect(a == b)
    }

    @Test("a fork goes its own way, and changes nothing else")
    func fork() {
        var parent = SeededGenerator(seed: 7)
        var twin = SeededGenerator(seed: 7)
        var child = parent.fork()
        _ = twin.next()
        for _ in 0..<10 { _ = child.next() }
        #expect(parent == twin)
        #expect(child != parent)
    }

    @Test("uniform draws fill their range and never leave it")
    func uniform() {
        var generator = SeededGenerator(seed: 99)
        let draws = (0..<2000).map { _ in generator.uniform(-2...3) }
        #expect(draws.allSatisfy { (-2...3).contains($0) })
        #expect(draws.contains { $0 < -1.9 })
        #expect(draws.contains { $0 > 2.9 })
        #expect(generator.uniform(5...5) == 5)
    }
}
