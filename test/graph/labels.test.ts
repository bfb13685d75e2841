import { describe, expect, test } from 'vitest';
import { acceleratorKey, labelsMatch, normalizeLabel } from '../../src/graph/labels.js';
import { fc } from '../support/fast-check.js';

describe('4.6, 18a: the prefix of a label', () => {
  test.each([
    ['[Y] Yes, deploy', 'Y', 'yes, deploy'],
    ['Y) Yes, deploy', 'Y', 'yes, deploy'],
    ['Y - Yes, deploy', 'Y', 'yes, deploy'],
    ['  [Y]   Yes  ', 'Y', 'yes'],
    ['[Y]Yes', 'Y', 'yes'],
    ['[ Y ] Yes', 'Y', 'yes'],
    ['[10] Ten', '10', 'ten'],
    ['[Esc] Leave', 'Esc', 'leave'],
    ['[ü] Über', 'ü', 'über'],
    ['[?] Help', '?', 'help'],
    ['Yes, deploy', undefined, 'yes, deploy'],
    ['Re-run', undefined, 're-run'],
    ['Retry - later', undefined, 'retry - later'],
    ['[a long note] Go', undefined, '[a long note] go'],
    ['[] Go', undefined, '[] go'],
    ['maybe) not', undefined, 'maybe) not'],
    ['', undefined, ''],
    ['   ', undefined, ''],
    ['[Y]', 'Y', '[y]'],
    ['[Y] ', 'Y', '[y]'],
    ['[A] [B] Both', 'A', '[b] both'],
  ])('%j has the key %j and means %j', (label, key, meaning) => {
    expect(acceleratorKey(label)).toBe(key);
    expect(normalizeLabel(label)).toBe(meaning);
  });
});

describe('18a: labels match', () => {
  test.each([
    ['[A] Approve', 'approve', true],
    ['[A] Approve', 'Y) APPROVE', true],
    ['Approve', 'Approved', false],
    ['', '', false],
    ['', '  ', false],
    ['[Y]', '[Y]', true],
    ['[Y]', '[N]', false],
    ['[Y]', 'Y', false],
  ])('%j and %j: %j', (one, other, match) => {
    expect(labelsMatch(one, other)).toBe(match);
    expect(labelsMatch(other, one)).toBe(match);
  });

  test('a label that is not blank always matches itself', () => {
    fc.assert(fc.property(fc.string(), (label) => labelsMatch(label, label) === (label.trim() !== '')));
  });
});
