import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { blocksOf, readPage } from '../docs/markdown.js';

// Of editors that cannot be installed here, the configuration is at least what its format takes.

function blockOf(editor: string, language: string): string {
  const blocks = blocksOf(readPage(`editors/${editor}/README.md`), language);
  expect(blocks).toHaveLength(1);
  return blocks[0]?.text ?? '';
}

describe('the configuration', () => {
  it('of Helix starts the server for dot', () => {
    expect(parse(blockOf('helix', 'toml'))).toEqual({
      'language-server': {
        attractor: { command: 'attractor', args: ['lsp'], config: { inlayHints: true } },
      },
      language: [{ name: 'dot', 'language-servers': ['attractor'], 'auto-format': true }],
    });
  });

  it('of Zed starts the server for DOT', () => {
    expect(JSON.parse(blockOf('zed', 'json'))).toMatchObject({
      languages: { DOT: { language_servers: ['attractor'] } },
      lsp: { attractor: { binary: { path: 'attractor', arguments: ['lsp'] } } },
    });
  });
});
