import { describe, expect, test } from 'vitest';
import { openServerParts } from '../../src/server/open-server-parts.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { serverOptions } from './runs/harness.js';

/** Opens a server with this backend for all stages. @returns what it warns of */
async function openWith(backend: string, allowTools: boolean): Promise<readonly string[]> {
  const warnings: string[] = [];
  const options = serverOptions(temporaryDirectory(), { allowTools, extensions: { config: false, backend } });
  const { close } = await openServerParts(options, {
    write: (level, message) => {
      if (level === 'warning') warnings.push(message);
    },
  });
  await close();
  return warnings;
}

describe('§9.5 a server with a backend for all stages', () => {
  test('does not start where there is none of that name', async () => {
    await expect(openWith('nope', false)).rejects.toThrow(/no backend "nope"\. Available: auto, ai/);
  });

  test.each([
    ['acp', false, 1],
    ['command', false, 1],
    ['acp', true, 0],
    ['ai', false, 0],
    ['simulate', false, 0],
  ])(
    '"%s", where commands are allowed or not (%s), warns of what it will refuse',
    async (backend, allowTools, count) => {
      const warnings = await openWith(backend, allowTools);
      expect(warnings.filter((warning) => warning.includes('--allow-tools'))).toHaveLength(count);
    },
  );
});
