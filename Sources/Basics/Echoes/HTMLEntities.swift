/// The named character references of HTML that stand for ASCII and Latin-1.
enum HTMLEntities {
    static let named = latin.merging(ascii) { latin, _ in latin }

    /// The references for U+00A0 to U+00FF, in order (HTML 4.01 section 24.2.1).
    private static let latin = Dictionary(
        uniqueKeysWithValues: zip(
            """
            nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg \
            plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 \
            iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml \
            Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash \
            Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring \
            aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve \
            oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml
            """.parts(at: " ").map(String.init),
            (0xA0...0xFF).map { Unicode.Scalar(UInt8($0)) }
        )
    )

    /// The named references for ASCII punctuation (WHATWG HTML section 13.5).
    private static let ascii: [String: Unicode.Scalar] = [
        "Tab": "\t", "NewLine": "\n", "excl": "!", "quot": "\"", "QUOT": "\"", "num": "#",
        "dollar": "$", "percnt": "%", "amp": "&", "AMP": "&", "apos": "'", "lpar": "(",
        "rpar": ")", "ast": "*", "midast": "*", "plus": "+", "comma": ",", "period": ".",
        "sol": "/", "colon": ":", "semi": ";", "lt": "<", "LT": "<", "equals": "=", "gt": ">",
        "GT": ">", "quest": "?", "commat": "@", "lsqb": "[", "lbrack": "[", "bsol": "\\",
        "rsqb": "]", "rbrack": "]", "Hat": "^", "lowbar": "_", "UnderBar": "_", "grave": "`",
        "lcub": "{", "lbrace": "{", "verbar": "|", "vert": "|", "rcub": "}", "rbrace": "}",
    ]
}
