import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

/** What a test of many runs has left takes minutes to remove. */
const removalMs = 600_000;

/** A new, empty directory that is gone when the test that asked for it has ended. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'attractor-test-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }), removalMs);
  return directory;
}
