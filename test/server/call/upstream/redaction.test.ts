import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRedactor } from '../../../../server/call/upstream/index.ts';

const SECRET = 'sk-live/9+A"b=';
const hexOf = (character: string) => character.charCodeAt(0).toString(16).padStart(2, '0');
const each = (spell: (character: string) => string) => (secret: string) => [...secret].map(spell).join('');

const SPELLINGS: Readonly<Record<string, (secret: string) => string>> = {
  'as it is': (secret) => secret,
  JSON: (secret) => JSON.stringify(secret).slice(1, -1),
  'JSON with escaped slashes': (secret) => JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/'),
  'JSON inside of JSON': (secret) => JSON.stringify(JSON.stringify(secret).replaceAll('/', '\\/')).slice(3, -3),
  'JSON escapes alone': each((character) => `\\u00${hexOf(character)}`),
  'JSON escapes in capitals': each((character) => `\\u00${hexOf(character).toUpperCase()}`),
  'bytes of a program': each((character) => `\\x${hexOf(character)}`),
  'percent-encoding': encodeURIComponent,
  'percent-encoding in lower case': (secret) =>
    encodeURIComponent(secret).replace(/%../g, (byte) => byte.toLowerCase()),
  'percent-encoding of everything': each((character) => `%${hexOf(character)}`),
  'percent-encoding twice': (secret) => encodeURIComponent(encodeURIComponent(secret)),
  'percent-encoding three times': (secret) => encodeURIComponent(encodeURIComponent(encodeURIComponent(secret))),
  'entities of HTML': (secret) => secret.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('/', '&#x2F;'),
  'decimal entities': each((character) => `&#${character.charCodeAt(0)};`),
  'entities inside of entities': each((character) => `&amp;#x${hexOf(character)};`),
};

describe('a credential in a text', () => {
  test.each(Object.entries(SPELLINGS))('is found in the spelling: %s', (_, spell) => {
    expect(createRedactor([SECRET]).text(`before ${spell(SECRET)} after`)).toBe('before [redacted] after');
  });

  test.each([0, 1, 2])('is found in base64 with %i bytes before it, except for the shared digits', (length) => {
    const text = Buffer.from(`${'x'.repeat(length)}${SECRET}yy`).toString('base64');
    for (const spelled of [text, text.replaceAll('+', '-').replaceAll('/', '_')]) {
      const found = createRedactor([SECRET]).text(spelled);
      expect(found).toMatch(/^[\w+/=-]{0,3}\[redacted\][\w+/=-]{0,7}$/);
    }
  });

  test('is found beyond ASCII', () => {
    const redactor = createRedactor(['pässwörter']);
    for (const text of [
      'pässwörter',
      encodeURIComponent('pässwörter'),
      'p\\u00e4ssw\\u00F6rter',
      'p&#228;ssw&#xf6;rter',
    ])
      expect(redactor.text(`x${text}x`)).toBe('x[redacted]x');
  });

  test.each([
    ['amp', '&'],
    ['lt', '<'],
    ['gt', '>'],
    ['quot', '"'],
    ['apos', "'"],
    ['sol', '/'],
    ['plus', '+'],
    ['equals', '='],
    ['bsol', '\\'],
    ['percnt', '%'],
  ])('is found with the entity %s', (name, character) => {
    const redactor = createRedactor([`abc${character}def`, `ghi${character}`.repeat(2)]);
    for (const entity of [name, name.toUpperCase()]) {
      expect(redactor.text(`abc&${entity};def`)).toBe('[redacted]');
      expect(redactor.text(`ghi&amp;${entity};ghi&${entity}`)).toBe('[redacted]');
    }
  });

  test.each([
    ['not found for a secret of six characters', 'abcdef', 'YWJjZGVm', 'YWJjZGVm'],
    ['found for a secret of eight', 'abcdefgh', 'YWJjZGVmZ2g=', '[redacted]g='],
    ['found in the URL-safe alphabet too', '???>>>~~~', 'Pz8/Pj4+fn5+ Pz8_Pj4-fn5-', '[redacted] [redacted]'],
  ])('in base64 is %s', (_title, secret, text, want) => {
    expect(createRedactor([secret]).text(text)).toBe(want);
  });

  test('is found each time, and once where spellings overlap', () => {
    for (const secrets of [
      ['secret%25key', 'secret'],
      ['secret', 'secret%25key'],
    ]) {
      const redactor = createRedactor(secrets);
      expect(redactor.text('secret%25key secret%2525key')).toBe('[redacted] [redacted]');
      expect(redactor.text('secretsecret')).toBe('[redacted][redacted]');
      expect(redactor.text('a secret')).toBe('a [redacted]');
    }
  });

  test('that is short once its escapes are decoded is found only as it is written', () => {
    expect(createRedactor(['&#97;b']).text('cab &#97;b')).toBe('cab [redacted]');
  });

  test('is detected in a text', () => {
    const redactor = createRedactor([SECRET]);
    expect([redactor.isIn(`a ${SECRET}`), redactor.isIn(encodeURIComponent(SECRET)), redactor.isIn('a')]).toEqual([
      true,
      true,
      false,
    ]);
  });

  test('that is too short to search for is never found', () => {
    const bytes = Buffer.from('abcde', 'utf16le');
    const redactor = createRedactor(['abcde']);
    expect([redactor.isIn('abcde'), redactor.text('abcde'), redactor.bytes(bytes)]).toEqual([false, 'abcde', bytes]);
    expect(createRedactor(['abcde', 'abcdef']).bytes(bytes)).toBe(bytes);
  });

  test('leaves every other text unchanged', () => {
    const redactor = createRedactor([SECRET]);
    for (const text of ['', 'a%', '100%25', '\\', '\\u00', 'a\\"b\\n', '&amp;&#', '%zz &#x; \\/'])
      expect(redactor.text(text)).toBe(text);
  });

  test('is found however its characters are encoded one by one', () => {
    const forms = [
      SPELLINGS['JSON escapes alone'],
      SPELLINGS['percent-encoding of everything'],
      SPELLINGS['decimal entities'],
    ];
    const secrets = fc.string({ minLength: 6, maxLength: 20, unit: fc.constantFrom(...'abzAZ09_-+/=.:~') });
    fc.assert(
      fc.property(secrets, fc.array(fc.nat(3), { minLength: 20, maxLength: 20 }), (secret, choices) => {
        const spelled = [...secret].map((one, index) => forms[choices[index] ?? 0]?.(one) ?? one).join('');
        expect(createRedactor([secret]).text(`<${spelled}>`)).toBe('<[redacted]>');
      }),
    );
  });

  test('changes nothing outside it', () => {
    const texts = fc.string({ unit: fc.constantFrom(...'ab%25&#x2f;\\u0061"/') });
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        const redacted = createRedactor(['zzzzzzzz']).text(`${before} zzzzzzzz ${after}`);
        expect(redacted).toBe(`${before} [redacted] ${after}`);
      }),
    );
  });
});

describe('a credential in bytes', () => {
  const bytes = (text: string, encoding: BufferEncoding) =>
    Buffer.concat([Buffer.from([0, 255, 128]), Buffer.from(text, encoding)]);

  test.each<[string, Buffer]>([
    ['UTF-8', bytes(`${SECRET}.`, 'utf8')],
    ['percent-encoding', bytes(`${encodeURIComponent(SECRET)}.`, 'utf8')],
    ['UTF-16, little endian', bytes(`${SECRET}.`, 'utf16le')],
    ['UTF-16, big endian', bytes(`${SECRET}.`, 'utf16le').subarray(3).swap16()],
    ['UTF-16, big endian, at the end', bytes(SECRET, 'utf16le').subarray(3).swap16()],
  ])('is redacted without a change of length: %s', (_, given) => {
    const redacted = Buffer.from(createRedactor([SECRET]).bytes(given));
    expect(redacted.byteLength).toBe(given.byteLength);
    expect(redacted.includes('****')).toBe(true);
    expect(redacted.toString('latin1').replaceAll('\0', '')).not.toContain('live');
  });

  test('leaves other bytes unchanged, and returns the same object', () => {
    const given = Buffer.from([1, 2, 3, 0x25, 0x32]);
    expect(createRedactor([SECRET]).bytes(given)).toBe(given);
  });
});

describe('other encodings of a secret', () => {
  const secret = 'sk_live/9f+2A"77=c';
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const each = (write: (code: number) => string) => [...secret].map((one) => write(one.charCodeAt(0))).join('');

  test.each([
    ['hexadecimal', Buffer.from(secret).toString('hex')],
    ['hexadecimal in capitals', Buffer.from(secret).toString('hex').toUpperCase()],
    ['octal escapes', each((code) => `\\${code.toString(8).padStart(3, '0')}`)],
    ['escapes in braces', each((code) => `\\u{${code.toString(16)}}`)],
    ['escapes in braces with zeros', each((code) => `\\u{00${code.toString(16)}}`)],
    ['base64 of percent-encoding', base64(encodeURIComponent(secret))],
    ['base64 of a text with percent-encoding', base64(`k=${encodeURIComponent(secret)}&x=1`)],
    ['base64 of base64', base64(base64(secret))],
  ])('%s is redacted', (_title, text) => {
    const redactor = createRedactor([secret]);
    expect(redactor.isIn(`key ${text} !`)).toBe(true);
    const clean = redactor.text(`key ${text} !`);
    expect(clean).toContain('[redacted]');
    expect(clean.length).toBeLessThan(30);
    expect(Buffer.from(redactor.bytes(Buffer.from(text))).toString()).toContain('**********');
  });
});
