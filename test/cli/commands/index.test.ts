import { expect, test } from 'vitest';
import { commandsByName } from '../../../src/cli/commands/index.js';

test('each command has the name by which it is loaded', async () => {
  const loaded = await Promise.all([...commandsByName.values()].map((load) => load()));
  expect(loaded.map(({ name }) => name)).toEqual([...commandsByName.keys()]);
});
