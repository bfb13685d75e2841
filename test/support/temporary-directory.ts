import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

/** What a test of many runs has left takes minutes to remove. */
const removalMs = 600_000;

/**
 * A new, empty directory that is gone when the test that asked for it has ended. It lies in memory where that can be had: what is
 * synced to a disk takes several times as long. TMPDIR names another place.
 */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(path.join(process.env.TMPDIR ?? inMemory() ?? tmpdir(), 'attractor-test-'));
  // A real tool may still end where the virtual clock of its run has not waited for it.
  const patiently = { recursive: true, force: true, maxRetries: 20, retryDelay: 25 };
  onTestFinished(() => rmSync(directory, patiently), removalMs);
  return directory;
}

function inMemory(): string | undefined {
  try {
    accessSync('/dev/shm', constants.W_OK);
    return '/dev/shm';
  } catch {
    return undefined;
  }
}
