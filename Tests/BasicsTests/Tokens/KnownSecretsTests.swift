import Foundation
import Testing

@testable import Basics

@Suite("Known secrets")
struct KnownSecretsTests {
    /// Every character that some escape takes care of, and each length in UTF-8.
    static let password = "p/w \"&ü€😀+1"

    @Test(
        "are replaced in every form in which a server may repeat them",
        arguments: [
            "p/w \"&ü€😀+1",
            "p%2Fw%20%22%26%C3%BC%E2%82%AC%F0%9F%98%80%2B1",
            "p%2fw%20%22%26%c3%bc%e2%82%ac%f0%9f%98%80%2b1",
            "p/w+%22%26%C3%BC%E2%82%AC%F0%9F%98%80%2b1",
            "%70%2F%77%20%22%26%C3%BC%E2%82%AC%F0%9F%98%80%2B%31",
            "p/w%20\"&ü€%F0%9F%98%80+1",
            #"p\/w \"&ü€😀+1"#,
            #"p/w\u0020\u0022\u0026\u00fc\u20AC\ud83d\uDE00+1"#,
            #"\u0070\u002f\u0077\u0020\u0022\u0026\u00fc\u20ac\ud83d\ude00\u002b\u0031"#,
            "p/w &quot;&amp;&uuml;€😀&plus;1",
            "p&#47;w&#32;&#34;&#38;&#252;&#8364;&#128512;&#43;1",
            "p&#x2F;w&#x20;&#x22;&#X26;&#xfc;&#x20ac;&#x1F600;&#x2B;1",
            "702f77202226c3bce282acf09f98802b31", "702F77202226C3BCE282ACF09F98802B31",
            // Within others: JSON in a query, a query in JSON, HTML of HTML, percent of percent.
            "p%5C%2Fw%20%5C%22%26%C3%BC%E2%82%AC%F0%9F%98%80%2B1",
            "p%252Fw%2520%2522%2526%25C3%25BC%25E2%2582%25AC%25F0%259F%2598%2580%252B1",
            "p/w &amp;quot;&amp;amp;&amp;uuml;€😀+1",
            #"p\\\/w \\\"&ü€😀+1"#,
        ]
    )
    func forms(form: String) {
        #expect(Self.known.hiding(in: "no \(form): twice \(form)") == "no ‹pw›: twice ‹pw›")
    }

    @Test(
        "are replaced in base64 of both alphabets, wherever they begin",
        arguments: [
            ("", "cC93ICImw7zigqzwn5iAKzE="), ("", "cC93ICImw7zigqzwn5iAKzE"),
            ("Y2xpZW50", "OnAvdyAiJsO84oKs8J-YgCsx"), ("", "eHgvcC93ICImw7zigqzwn5iAKzE"),
            // `client:` and what a form makes of the password.
            ("", "Y2xpZW50OnAlMkZ3JTIwJTIyJTI2JUMzJUJDJUUyJTgyJUFDJUYwJTlGJTk4JTgwJTJCMQ=="),
        ]
    )
    func base64(before: String, form: String) {
        for text in [form, form.replacing("-", with: "+")] {
            let shown = Self.known.hiding(in: "Basic \(before)\(text) x")
            #expect(shown.hasSuffix("‹pw› x"), "\(shown)")
            #expect(!shown.contains("zE"), "\(shown)")
        }
    }

    @Test("are replaced in base64 of both alphabets, whatever their size", arguments: 4...40)
    func base64(size: Int) {
        let secret = String("~?>k3~?>R~~?>>vQ9???xT7~~~mZ2>>>pL5wB8nDy".prefix(size))
        let known = KnownSecrets.none.adding([Secret(secret)])
        for before in ["", "a", "ab"] {
            for behind in ["", "y", "yz"] {
                let form = Data("\(before)\(secret)\(behind)".utf8).base64EncodedString()
                for text in [form, Base64URL.encode(Array("\(before)\(secret)\(behind)".utf8))] {
                    let shown = known.hiding(in: "no \(text) x")
                    #expect(shown.contains("‹hidden›") && shown.count <= 21, "\(form) \(shown)")
                }
            }
        }
    }

    @Test(
        "are replaced backwards where they are long, and a short one that may be a word is not",
        arguments: [
            ("kR3vQ9xT7mZ2pL5w", "no ‹hidden› here"),
            ("correcthorsebatterystaple", "no ‹hidden› here"),
            ("drowssap", "no password here"), ("kR3vQ9xT7mZ2pL5", "no 5Lp2Zm7Tx9Qv3Rk here"),
        ]
    )
    func backwards(secret: String, shown: String) {
        let known = KnownSecrets.none.adding([Secret(secret)])
        #expect(known.hiding(in: "no \(String(secret.reversed())) here") == shown)
    }

    @Test("are hidden in parts of twelve bytes and more, if that is asked for")
    func parts() {
        let token = "kR3vQ9xT7mZ2pL5wB8nDyU4sF6hJ1gC0aE"
        let known = KnownSecrets(findsParts: true).adding([Secret(token)])
        let parts = [token.prefix(12), token.dropFirst(5).prefix(13), token.suffix(20)]
        for part in parts {
            #expect(known.hiding(in: "[\"\(part)\", \"milk\"]") == "[\"‹hidden›\", \"milk\"]")
            #expect(KnownSecrets.none.adding([Secret(token)]).hiding(in: String(part)) == part)
        }
        #expect(known.hiding(in: "\(token.prefix(11)) \(token.suffix(11))").count == 23)
        #expect(known.hiding(in: "a \(token) b") == "a ‹hidden› b")
        var fewer = known
        fewer.remove([SecretDigest(Secret(token))])
        #expect(fewer.hiding(in: String(token.prefix(20))) == token.prefix(20))
    }

    @Test(
        "are hidden with half of a surrogate pair in them, as they came and as they were read",
        arguments: [#"p\ud83dw-1815"#, #"p\uDE00w-1815"#, "p\u{FFFD}w-1815"]
    )
    func halfOfPair(form: String) {
        let known = KnownSecrets.none.adding([Secret("p\u{FFFD}w-1815")])
        #expect(known.hiding(in: "no \(form) x") == "no ‹hidden› x")
    }

    @Test("are added for a text if it is long enough for them", arguments: 4...38)
    func addedForText(size: Int) {
        let token = String("kR3vQ9xT7mZ2pL5wB8nDyU4sF6hJ1gC0aE-_~x".prefix(size))
        #expect(SecretForm.all(of: token).allSatisfy { $0.count >= size })
        let (secret, short) = (Secret(token), String(token.dropLast()))
        #expect(KnownSecrets.none.adding([secret], in: token).contains(secret))
        #expect(!KnownSecrets.none.adding([secret], in: short).contains(secret))
        // A part of it may be in a shorter one.
        let parts = KnownSecrets(findsParts: true)
        #expect(parts.adding([secret], in: short).contains(secret))
    }

    @Test("leave no letter of theirs beside a mark where they overlap")
    func overlaps() {
        let known = KnownSecrets.none.adding([Secret("abcdef"), Secret("defghi"), Secret("abcd")])
        #expect(known.hiding(in: "x abcdefghi y") == "x ‹hidden› y")
        #expect(known.hiding(in: "x abcdabcdef y") == "x ‹hidden›‹hidden› y")
    }

    @Test("that a text is cut off in are hidden to its end, in every form")
    func cut() {
        let secret = "correct-horse-battery"
        let known = KnownSecrets.none.adding([Secret(secret)])
        let forms = [
            secret, "correct%2Dhorse%2Dbattery", "correct\\u002dhorse\\u002dbattery",
            "correct&#x2d;horse&#45;battery", "Y29ycmVjdC1ob3JzZS1iYXR0ZXJ5",
        ]
        for form in forms {
            for limit in 1..<(form.count + 5) {
                let shown = known.hiding(in: "so: \(form) and more", limit: limit)
                #expect(shown.count <= max(limit, 12), "\(shown)")
                #expect(!shown.contains("co") && !shown.contains("Y2"), "\(limit) \(shown)")
            }
        }
    }

    @Test("called by their fingerprints where they are tokens")
    func fingerprints() {
        let fingerprinter = Fingerprinter(salt: [UInt8](repeating: 7, count: 16))
        let token = Secret("odd token")
        let mark = fingerprinter.fingerprint(of: token).description
        let known = KnownSecrets(fingerprinter: fingerprinter).adding([token])
        #expect(known.hiding(in: "no odd+token here") == "no \(mark) here")
        // Hidden texts stay as they are.
        #expect(known.hiding(in: "no \(mark) here") == "no \(mark) here")
    }

    @Test("that are a word of a mark do not show through it")
    func marks() {
        var known = KnownSecrets()
        known.add(Secret("password"), named: "password")
        known.add(Secret("hidden"), named: "client_secret")
        #expect(known.hiding(in: "wrong password") == "wrong ‹password›")
        #expect(known.hiding(in: "wrong ‹password› ‹hidden›") == "wrong ‹password› ‹hidden›")
        #expect(known.hiding(in: "hidden ‹hidden2›") == "‹client secret› ‹‹client secret›2›")
    }

    @Test(
        "that are short withhold a text in which they are a word",
        arguments: [
            ("ab", "the code ab is wrong", true), ("ab", "ab", true), ("ab", "(ab)", true),
            ("ab", #"{"password":"ab"}"#, true), ("ab", #"{"password":"\u0061b"}"#, true),
            ("ab", "p=%61%62&q", true), ("ab", "&#97;b", true), ("ab", "in YWI= is", true),
            ("ab", "Basic Y2xpZW50OmFi", true), ("ab", "in 6162", true),
            ("ab", "a table", false), ("ab", "able", false), ("a", "cat", false),
            ("a", "a cat", true), ("12", "#12: no", true), ("12", "1234", false),
            ("é", "caf é", true), ("$", "5$", true), (" ", "a b", false),
        ]
    )
    func short(secret: String, text: String, isWithheld: Bool) {
        let known = KnownSecrets.none.adding([Secret(secret)])
        #expect(known.hiding(in: text) == (isWithheld ? "‹withheld›" : text))
    }

    @Test("are found in the strings, names and numbers of JSON")
    func json() {
        var known = KnownSecrets()
        known.add(Secret("123456"), named: "code")
        let value: JSONValue = ["123456": ["x", 123456, "is 123456"], "n": 12345, "b": true]
        #expect(
            known.hiding(in: value)
                == ["‹code›": ["x", "‹code›", "is ‹code›"], "n": 12345, "b": true]
        )
    }

    @Test("that are no longer known are left alone")
    func removed() {
        var known = KnownSecrets.none.adding([Secret("first"), Secret("second"), Secret("no")])
        known.remove([Secret("first"), Secret("no")].map(SecretDigest.init))
        #expect(known.hiding(in: "no first second") == "no first ‹hidden›")
    }

    @Test("that come and go by the hundred are hidden as long as they are known, in every form")
    func changing() {
        let tokens = (0..<400).map { Secret("access-token-\($0 * 7919)-of-many") }
        var known = KnownSecrets.none
        for (number, token) in tokens.enumerated() {
            known.add(token)
            if number >= 6 { known.remove([SecretDigest(tokens[number - 6])]) }
        }
        let (gone, left) = (tokens.dropLast(6), tokens.suffix(6))
        for token in left {
            let text = token.reveal()
            for form in [text, text.utf8.hexadecimal, Data(text.utf8).base64EncodedString()] {
                #expect(known.hiding(in: "a \(form) b") == "a ‹hidden› b")
            }
        }
        for token in gone { #expect(known.hiding(in: token.reveal()) == token.reveal()) }
        #expect(known.hiding(in: "‹hidden›") == "‹hidden›")
        known.remove(left.map(SecretDigest.init))
        for token in left { #expect(known.hiding(in: token.reveal()) == token.reveal()) }
    }

    @Test("any text is as it was where no secret is in it")
    func harmless() {
        for text in ["", "x", "100 % & more \\", "%", "%4", "&#;", "&#x;", "\\u12", "\\ud83d", "+"]
        {
            #expect(Self.known.hiding(in: text) == text)
            #expect(KnownSecrets.none.hiding(in: text) == text)
        }
    }

    @Test("have no description")
    func secrecy() {
        #expect("\(Self.known)" == "‹secrets›")
        var dumped = ""
        dump(Self.known, to: &dumped)
        #expect(!dumped.contains("w "))
    }

    private static let known: KnownSecrets = {
        var known = KnownSecrets()
        known.add(Secret(password), named: "pw")
        return known
    }()
}
