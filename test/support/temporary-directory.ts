import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
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
  onTestFinished(() => removeWhileWritten(directory), removalMs);
  return directory;
}

/** Removes a directory in which files still appear. `maxRetries` removes only the directory again, and not what came in between. */
export async function removeWhileWritten(directory: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      rmSync(directory, { recursive: true, force: true });
      return;
    } catch (error) {
      if (attempt === 200) throw error;
      await setTimeout(25);
    }
  }
}

function inMemory(): string | undefined {
  try {
    accessSync('/dev/shm', constants.W_OK);
    return '/dev/shm';
  } catch {
    return undefined;
  }
}
