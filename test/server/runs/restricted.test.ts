import { expect, test } from 'vitest';
import { readManifest } from '../../../src/run-directory/manifest.js';
import { askedServer } from '../asked-server.js';

const tiny = 'digraph tiny { start [shape=Mdiamond] end [shape=Msquare] start -> end }';

test.each([
  { allowTools: false, restricted: true },
  { allowTools: true, restricted: undefined },
])(
  '§9.5 the policy of the server is a fact of a posted run: $allowTools',
  async ({ allowTools, restricted }) => {
    const server = await askedServer({ allowTools });
    const id = await server.run(tiny);
    await server.until(id, 'success');
    expect(readManifest(server.parts.registry.directory(id)).options.restricted).toBe(restricted);
  },
);
