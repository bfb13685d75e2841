import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

/** A new, empty directory that is gone when the test that asked for it has ended. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'attractor-test-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
