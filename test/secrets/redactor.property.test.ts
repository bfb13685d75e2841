import { expect, test } from 'vitest';
import { hidingOf } from '../../src/handlers/tools/hiding.js';
import { makeRedactor } from '../../src/secrets/redactor.js';
import type { Secret } from '../../src/secrets/secret.js';
import { fc, runsOf } from '../support/fast-check.js';

/** Of few letters, so that secrets overlap, repeat, and begin within each other. */
const letters = fc.constantFrom('a', 'b', '"', '\\', '\n', '%', 'é', '/');
const values = fc.array(letters, { minLength: 8, maxLength: 14 }).map((parts) => parts.join(''));
const secrets: fc.Arbitrary<readonly Secret[]> = fc
  .array(values, { maxLength: 4 })
  .map((all) => all.map((value, index) => ({ name: `S${index}`, value })));

const keys = fc.constantFrom(
  'sk-ant-aB3aB3aB3aB3aB3aB3',
  'sk-aB3aB3aB3aB3aB3aB3aB3',
  'sk-',
  'AKIAIOSFODNN7EXAMPLE',
  'eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.SflKxwRJSMeKKF2QT4',
  'Bearer aB3aB3aB3aB3aB3aB3',
  'Authorization: Basic dXNlcjpwYXNz',
  '-----BEGIN PRIVATE KEY-----\naB3aB3aB3aB3aB3aB3aB3aB3aB3aB3aB3\n-----END PRIVATE KEY-----',
  '-----BEGIN ',
);

function wrapped(value: string, width: number): string {
  return Buffer.from(value)
    .toString('base64')
    .replace(new RegExp(`.{${width}}`, 'g'), '$&\n');
}

/** Texts with secrets in them, and halves of them. */
function texts(known: readonly Secret[]): fc.Arbitrary<string> {
  const whole = known.flatMap(({ value }) => [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value),
    wrapped(value, 8),
  ]);
  const parts = whole.flatMap((text) => [text, text.slice(0, -2), text.slice(2)]);
  const pieces = [fc.string({ maxLength: 5 }), letters, keys, fc.constantFrom(' ', '\n', '-', 's', 'k')];
  return fc
    .array(parts.length === 0 ? fc.oneof(...pieces) : fc.oneof(fc.constantFrom(...parts), ...pieces), {
      maxLength: 30,
    })
    .map((all) => all.join(''));
}

const cases = secrets.chain((known) => fc.tuple(fc.constant(known), texts(known)));
const cut = fc.infiniteStream(fc.integer({ min: 1, max: 9 }));

test('no text has a secret afterwards, in none of its spellings', () => {
  fc.assert(
    fc.property(cases, ([known, text]) => {
      const clean = makeRedactor(known).text(text);
      for (const { value } of known) {
        expect(clean).not.toContain(value);
        expect(clean).not.toContain(JSON.stringify(value).slice(1, -1));
        expect(clean).not.toContain(encodeURIComponent(value));
      }
    }),
  );
});

test('a text without a secret stays as it is', () => {
  fc.assert(
    fc.property(
      secrets,
      fc.string({ unit: fc.constantFrom('x', 'y', ' ', '-', '\n', '"'), maxLength: 200 }),
      (known, text) => {
        expect(makeRedactor(known).text(text)).toBe(text);
      },
    ),
  );
});

test('a text that comes in pieces is cleaned like a whole one, however it is cut', () => {
  fc.assert(
    fc.property(cases, cut, ([known, text], sizes) => {
      const redactor = makeRedactor(known);
      const stream = redactor.stream();
      let clean = '';
      for (let at = 0; at < text.length; ) {
        const size = sizes.next().value ?? 1;
        clean += stream.add(text.slice(at, at + size));
        at += size;
      }
      expect(clean + stream.end()).toBe(redactor.text(text));
    }),
    { numRuns: runsOf({ quick: 200, thorough: 2000 }) },
  );
});

test('so are bytes, which may be cut within a character', () => {
  fc.assert(
    fc.property(cases, cut, ([known, text], sizes) => {
      const redactor = makeRedactor(known);
      const stream = hidingOf(redactor.literals)();
      const bytes = Buffer.from(text);
      const clean: Buffer[] = [];
      for (let at = 0; at < bytes.length; ) {
        const size = sizes.next().value ?? 1;
        clean.push(stream.add(bytes.subarray(at, at + size)));
        at += size;
      }
      clean.push(stream.end());
      expect(Buffer.concat(clean).toString()).toBe(redactor.text(Buffer.from(text).toString()));
    }),
  );
});

test('what never ends is not held back for ever', () => {
  const redactor = makeRedactor([]);
  const stream = redactor.stream();
  let clean = stream.add('a sk-ant-api03-');
  for (let index = 0; index < 100; index += 1) clean += stream.add('aB3'.repeat(1000));
  expect(clean.slice(0, 100)).toBe('a [redacted:anthropic key]');
  expect(stream.add('aB3 the end') + stream.end()).toBe(' the end');
});
