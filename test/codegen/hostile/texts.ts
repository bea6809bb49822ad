/** Text that code, comments, markdown and terminals like to get wrong, one by one and drawn. */

import fc, { type Arbitrary } from 'fast-check';

/** Each of them goes into every place on its own. */
export const WORST_TEXTS: readonly [title: string, text: string][] = [
  ['the end of a comment', '*/ process.exit(1); /*'],
  ['the end of a comment that was escaped for another reader', '*\\/ */ * / *\u200b/ process.exit(1); /*'],
  ['a line comment', '// @ts-nocheck'],
  ['a template', '`$'.concat('{process.exit(1)}`')],
  ['the end of a string', `'; process.exit(1); "`],
  ['an escaped end of a string', `\\'; process.exit(1); \\"`],
  ['a backslash at the end', 'a\\'],
  ['line ends', "a\n'; process.exit(1);\r\n*/\u2028b\u2029c\u0085d"],
  ['control characters', 'a\u0000b\u0007c\u001b[2Jd\u007fe\u009bf'],
  ['text direction', 'a\u202e\u2066b\u061cc'],
  ['what nobody sees', 'a\u200b\u200d\u2060\ufeff\u00ad\u{e0041}b'],
  ['half of a surrogate pair', 'a\ud800b\udc00'],
  ['markup', '</script><img src=x onerror=alert(1)><!-- --> <!-- a'],
  ['markdown in a line', '[a](https://evil.example) ![b](x) <https://evil.example> **c** ~~d~~ | e | `f'],
  ['markdown lines', '\n# Heading\n\n---\n\n```js\n| a | b |\n| - | - |\n> quote\n1. one\n- two\n    code'],
  ['what readers make links of', 'https://evil.example www.evil.example a@evil.example @everyone'],
  ['a reference of markdown', '\n\n[tool]: https://evil.example "title"\n\n[tool]'],
  ['a prototype', '__proto__'],
  ['a constructor', 'constructor'],
  ['an import', "import('node:fs') import x from 'y'; export * from 'z'"],
  ['percent signs', '100% %zz %2F%00'],
  ['a directive', '/// <reference path="/etc/passwd" />'],
  ['other scripts', 'מסמך документ 文書 👩‍👩‍👧 e\u0301'],
  ['very long text', '*/`$'.concat('{x}\n').repeat(2000)],
  ['only white space', ' \t\n '],
];

const PIECES = [
  ...['*/', '/*', '//', '`', '${', '}', "'", '"', '\\', '\n', '\r', '\u2028', '\u0000', '\u202e', '\u200b', '\ud800'],
  ...[
    '</script>',
    '<!--',
    '-->',
    '[a](b)',
    '![',
    '|',
    '#',
    '# ',
    '- ',
    '> ',
    '```',
    '~~~',
    '***',
    '---',
    '://',
    'www.',
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    'import(',
    'eval(1)',
    'a',
    ' ',
    '😀',
    'א',
    '{',
    '~1',
    '~0',
    '%',
    '&amp;',
    '&',
  ],
];

/** One of the worst, several pieces in a row, or anything that Unicode can say and more. */
export const hostileText: Arbitrary<string> = fc.oneof(
  fc.constantFrom(...WORST_TEXTS.map(([, text]) => text)),
  fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join('')),
  fc.string({ unit: 'binary', maxLength: 30 }),
);
