import { expect, it } from 'vitest';
import { renderSummary } from '../../src/diagnostic/render-summary.js';

it.each([
  [[0, 0, 0], undefined, '✔ no problems'],
  [[0, 0, 0], 3, '✔ no problems in 3 files'],
  [[2, 1, 0], undefined, '✖ 2 errors, 1 warning'],
  [[1, 0, 0], 1, '✖ 1 error in 1 file'],
  [[0, 2, 1], undefined, '⚠ 2 warnings, 1 note'],
  [[0, 0, 2], undefined, '✔ 2 notes'],
] as const)('renderSummary(%j, %s) is %s', ([errors, warnings, infos], files, text) => {
  expect(renderSummary({ errors, warnings, infos }, files)).toBe(text);
});

it('colours the line by the worst of it', () => {
  expect(renderSummary({ errors: 1, warnings: 1, infos: 0 }, undefined, true)).toBe(
    '\u001b[31m✖ 1 error, 1 warning\u001b[39m',
  );
});
