import { expect, test } from 'vitest';
import type { Io } from '../../src/cli/io.js';
import { reportError } from '../../src/cli/output/report-error.js';

test.each([
  [{ code: 'ENOENT', syscall: 'uv_cwd' }, 'the current directory no longer exists: change to one that does'],
  [{ code: 'EMFILE', syscall: 'open' }, 'too many files are open: raise the limit of this shell'],
  [{ code: 'ENOENT', syscall: 'open' }, 'this is a bug in attractor'],
])('%j is said to be what it is', (details, says) => {
  let printed = '';
  const stderr = { write: (text: string) => (printed += text) };
  expect(reportError(Object.assign(new Error('x'), details), { stderr, env: {} } as unknown as Io)).toBe(1);
  expect(printed).toContain(`attractor: ${says}`);
});
