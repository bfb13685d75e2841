import { describe, expect, test } from 'vitest';
import { makeRedactor, noRedactor } from '../../src/secrets/redactor.js';

const key = 'kEy/With+3 "quotes"\\and\nlines';

describe('a value that is secret (DESIGN §4)', () => {
  const redactor = makeRedactor([{ name: 'MY_KEY', value: key }]);
  const written = '[redacted:MY_KEY]';

  test.each([
    ['as it is', key],
    ['in JSON', JSON.stringify(key).slice(1, -1)],
    ['in JSON within JSON', JSON.stringify(JSON.stringify(key)).slice(3, -3)],
    ['in an address', encodeURIComponent(key)],
    ['in the query of an address', encodeURIComponent(key).replaceAll('%20', '+')],
    [
      'in an address with small letters',
      encodeURIComponent(key).replace(/%../g, (code) => code.toLowerCase()),
    ],
  ])('is hidden %s', (_how, spelling) => {
    expect(redactor.text(`before ${spelling} after ${spelling}`)).toBe(`before ${written} after ${written}`);
  });

  test.each([0, 1, 2, 3, 4, 5])('is hidden in base64, %i bytes after the beginning', (offset) => {
    const before = 'user:'.slice(0, offset);
    const text = Buffer.from(`${before}${key}@host`).toString('base64');
    const clean = redactor.text(text);
    expect(clean).toContain(written);
    expect(Buffer.from(clean.replace(written, ''), 'base64').toString('latin1')).not.toContain(
      key.slice(2, -2),
    );
  });

  const lines = Buffer.from(`${'x'.repeat(60)}${key}${'y'.repeat(90)}`).toString('base64');
  test.each([
    ['of 76, as by base64', 76, '\n'],
    ['of 64, as by openssl', 64, '\n'],
    ['of 60 in JSON, as by GitHub', 60, '\\n'],
    ['of 76, as in mail', 76, '\r\n'],
    ['of 16', 16, '\n'],
  ])('is hidden in base64 in lines %s, whole and in pieces', (_, width, lineBreak) => {
    for (let shift = 0; shift < width; shift += 1) {
      const shifted = 'A'.repeat(4 * shift) + lines;
      const text = shifted.replace(new RegExp(`.{${width}}`, 'g'), `$&${lineBreak}`);
      const clean = redactor.text(text);
      expect(clean).toContain(written);
      const rest = clean.replace(written, '').replaceAll(lineBreak, '');
      expect(Buffer.from(rest, 'base64').toString('latin1')).not.toContain(key.slice(2, -2));
      const stream = redactor.stream();
      const pieces = text.match(/.{1,7}/gs) ?? [];
      expect(pieces.map((piece) => stream.add(piece)).join('') + stream.end()).toBe(clean);
    }
  });

  const odd = `pä/ss~w'ö(r)d*+&<ü>" zz`;
  test.each([
    ['JavaScript, encodeURIComponent', encodeURIComponent(odd)],
    ['JavaScript, encodeURI', encodeURI(odd)],
    ['Python, quote', 'p%C3%A4/ss~w%27%C3%B6%28r%29d%2A%2B%26%3C%C3%BC%3E%22%20zz'],
    ['Python, quote of all', 'p%C3%A4%2Fss~w%27%C3%B6%28r%29d%2A%2B%26%3C%C3%BC%3E%22%20zz'],
    ['Python, quote_plus', 'p%C3%A4%2Fss~w%27%C3%B6%28r%29d%2A%2B%26%3C%C3%BC%3E%22+zz'],
    ['Java, URLEncoder', 'p%C3%A4%2Fss%7Ew%27%C3%B6%28r%29d*%2B%26%3C%C3%BC%3E%22+zz'],
    ['forms', new URLSearchParams([['', odd]]).toString().slice(1)],
    ['in lower case', 'p%c3%a4%2fss~w%27%c3%b6%28r%29d%2a%2b%26%3c%c3%bc%3e%22%20zz'],
    ['JSON of JavaScript', JSON.stringify(odd)],
    ['JSON in JSON', JSON.stringify(JSON.stringify(odd))],
    ['JSON of Python', '"p\\u00e4/ss~w\'\\u00f6(r)d*+&<\\u00fc>\\" zz"'],
    ['JSON of PHP', '"p\\u00e4\\/ss~w\'\\u00f6(r)d*+&<\\u00fc>\\" zz"'],
    ['JSON of Go', '"pä/ss~w\'ö(r)d*+\\u0026\\u003cü\\u003e\\" zz"'],
    ['JSON of .NET', '"p\\u00E4/ss~w\\u0027\\u00F6(r)d*\\u002B\\u0026\\u003C\\u00FC\\u003E\\u0022 zz"'],
  ])('is hidden as written by %s', (_, text) => {
    expect(makeRedactor([{ name: 'ODD', value: odd }]).text(text)).toMatch(
      /^\W{0,4}\[redacted:ODD\]\W{0,4}$/,
    );
  });

  test('is hidden in the texts and keys of data, and what has none is the same object', () => {
    const data = { a: [{ b: `x${key}` }], [key]: 1, c: null, d: true };
    expect(redactor.json(data)).toEqual({ a: [{ b: `x${written}` }], [written]: 1, c: null, d: true });
    const clean = { a: [{ b: 'x' }], n: 3 };
    expect(redactor.json(clean)).toBe(clean);
  });

  test('a key called __proto__ stays one', () => {
    const data = JSON.parse(`{"__proto__": ${JSON.stringify(key)}, "other": 1}`);
    expect(JSON.stringify(redactor.json(data))).toBe(`{"__proto__":"${written}","other":1}`);
  });

  test('is hidden where it is a number', () => {
    const numeric = makeRedactor([{ name: 'PIN', value: '1234567890' }]);
    expect(numeric.json({ pin: 1234567890, other: 12 })).toEqual({ pin: '[redacted:PIN]', other: 12 });
  });

  test('the text of JSON stays one', () => {
    const text = redactor.jsonText(JSON.stringify({ a: key, b: 1 }));
    expect(JSON.parse(text)).toEqual({ a: written, b: 1 });
  });
});

test('the longest of several that begin in the same place is hidden', () => {
  const redactor = makeRedactor([
    { name: 'SHORT', value: 'abcdefgh' },
    { name: 'LONG', value: 'abcdefghijkl' },
  ]);
  expect(redactor.text('abcdefghijkl abcdefgh')).toBe('[redacted:LONG] [redacted:SHORT]');
});

test('each line of a key that is a file is hidden alone too', () => {
  const redactor = makeRedactor([{ name: 'CERT', value: 'first\nMIIEvQIBADANBgkqhkiG9w0B\nlast' }]);
  expect(redactor.text('grep: MIIEvQIBADANBgkqhkiG9w0B')).toBe('grep: [redacted:CERT]');
});

test('without secrets nothing is hidden', () => {
  expect(noRedactor.text('sk-ant-api03-abcdefghijklmnop')).toBe('sk-ant-api03-abcdefghijklmnop');
});

const a = (length: number): string => 'aB3'.repeat(length).slice(0, length);
const body = a(64);
const privateKey = `-----BEGIN RSA PRIVATE KEY-----\n${body}\n${body}\n-----END RSA PRIVATE KEY-----`;

/** Texts with keys of well-known formats, and what is left of them. */
const formats: readonly (readonly [string, string, string])[] = [
  ['Anthropic', `key: sk-ant-api03-${a(40)}.`, 'key: [redacted:anthropic key].'],
  ['OpenAI', `sk-proj-${a(40)}, and more`, '[redacted:sk key], and more'],
  ['OpenAI, the older ones', `"sk-${a(48)}"`, '"[redacted:sk key]"'],
  ['Google', `?key=AIza${a(35)}&x=1`, '?key=[redacted:google key]&x=1'],
  ['GitHub', `ghp_${a(36)} ghs_${a(36)}`, '[redacted:github token] [redacted:github token]'],
  ['GitHub, fine-grained', `github_pat_${a(60)}`, '[redacted:github token]'],
  ['AWS', 'id AKIAIOSFODNN7EXAMPLE\n', 'id [redacted:aws key]\n'],
  ['Slack', `xoxb-123-${a(20)}`, '[redacted:slack token]'],
  ['npm', `//host/:_authToken=npm_${a(36)}`, '//host/:_authToken=[redacted:npm token]'],
  ['a JSON web token', `eyJ${a(20)}.eyJ${a(30)}.${a(40)}`, '[redacted:json web token]'],
  [
    'an authorization',
    `Authorization: Bearer ${a(30)}\r\n`,
    'Authorization: Bearer [redacted:bearer token]\r\n',
  ],
  [
    'one with a name',
    'authorization: Basic dXNlcjpwYXNzd29yZA==',
    'authorization: Basic [redacted:basic authorization]',
  ],
  ['a header', `x-api-key: ${a(30)}`, 'x-api-key: [redacted:api key header]'],
  ['a private key', `a\n${privateKey}\nb`, 'a\n[redacted:private key]\nb'],
  ['a private key in JSON', JSON.stringify(`a\n${privateKey}\nb`), '"a\\n[redacted:private key]\\nb"'],
  ['a private key that is cut off', privateKey.slice(0, 90), '[redacted:private key]'],
  ['after a line end in JSON', JSON.stringify(`\nsk-ant-${a(30)}`), '"\\n[redacted:anthropic key]"'],
];

/** Texts that only look like keys. */
const harmless: readonly (readonly [string, string])[] = [
  ['words with hyphens', 'sk-folding-cube-container-with-a-long-name'],
  ['a part of a word', `task-force-${a(30)} and disk-ant-${a(30)}`],
  ['a short one', 'sk-ant-abc, AKIA1234, ghp_abc, eyJhbGci.abc.def'],
  ['a bearer who is none', 'Bearer of responsibilities-and-many-burdens'],
  ['a public key', `-----BEGIN PUBLIC KEY-----\n${body}\n-----END PUBLIC KEY-----`],
];

describe('keys of well-known formats', () => {
  const redactor = makeRedactor([]);
  test.each(formats)('%s', (_name, text, clean) => {
    expect(redactor.text(text)).toBe(clean);
    expect(redactor.text(clean)).toBe(clean);
  });
  test.each(harmless)('are not %s', (_name, text) => {
    expect(redactor.text(text)).toBe(text);
  });
});
