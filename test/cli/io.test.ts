import { describe, expect, it } from 'vitest';
import { terminalWidth } from '../../src/cli/io.js';

describe('the width of a terminal', () => {
  it.each<[columns: number | undefined, wanted: string | undefined, expected: number | undefined]>([
    [80, undefined, 80],
    [80, '', 80],
    [80, '100000', 100_000],
    [80, '40', 40],
    [80, '0', 80],
    [80, '-1', 80],
    [80, '1e9', 80],
    [80, '99999999', 80],
    // What is no terminal has no width, whatever a shell exports.
    [undefined, '100', undefined],
    [0, '100', undefined],
  ])('of %s columns, with COLUMNS=%s, is %s', (columns, COLUMNS, expected) => {
    expect(terminalWidth({ env: { COLUMNS } }, { columns, write: () => undefined })).toBe(expected);
  });
});
