import { describe, expect, it } from 'vitest';
import { readFromPreview } from '../../../editors/vscode/src/preview/messages.js';
import { previewHtml } from '../../../editors/vscode/src/preview/preview-html.js';
import { longestShown, refusalOf } from '../../../editors/vscode/src/preview/size-limit.js';
import { nodeAt } from '../../../editors/vscode/src/preview/view/node-at.js';
import { parseDot } from '../../../src/parser/dot/parse.js';

describe('the node at a cursor', () => {
  it.each([
    ['in its id', 'digraph G { pl|an [prompt="x"] }', 'plan'],
    ['in its attributes', 'digraph G { plan [pro|mpt="x"] }', 'plan'],
    ['at its end', 'digraph G { plan [prompt="x"]| }', 'plan'],
    ['in a subgraph', 'digraph G { subgraph a { plan [prompt|="x"] } }', 'plan'],
    ['at the start of an edge', 'digraph G { pl|an -> fix -> done }', 'plan'],
    ['inside a chain', 'digraph G { plan -> fi|x -> done }', 'fix'],
    ['at the end of an edge', 'digraph G { plan -> fix -> done| }', 'done'],
    ['is none on an arrow', 'digraph G { plan -|> fix }', undefined],
    ['is none in the attributes of an edge', 'digraph G { plan -> fix [lab|el=x] }', undefined],
    ['is none between statements', 'digraph G { plan; | fix }', undefined],
    ['is none in a broken text', 'digr|aph', undefined],
  ])('%s', (_, marked, expected) => {
    const offset = marked.indexOf('|');
    const { document } = parseDot(marked.replace('|', ''));
    expect(nodeAt(document, offset)).toBe(expected);
  });
});

describe('a message of the preview', () => {
  it.each([
    [{ kind: 'ready', more: 1 }, { kind: 'ready' }],
    [
      { kind: 'open', offset: 12 },
      { kind: 'open', offset: 12 },
    ],
    [{ kind: 'open', offset: -1 }, undefined],
    [{ kind: 'open', offset: 1.5 }, undefined],
    [{ kind: 'open', offset: '12' }, undefined],
    [{ kind: 'run', command: 'rm' }, undefined],
    ['ready', undefined],
    [null, undefined],
    [undefined, undefined],
  ])('%j is read as %j', (sent, expected) => expect(readFromPreview(sent)).toEqual(expected));
});

it('the page of the preview runs one script and loads nothing from elsewhere', () => {
  const page = previewHtml({ origin: 'https://editor', script: '/p.js', style: '/p.css', nonce: 'N0' });
  const [, policy = ''] = /Content-Security-Policy" content="([^"]*)"/.exec(page) ?? [];
  expect(policy.split('; ')).toEqual([
    "default-src 'none'",
    'style-src https://editor',
    "script-src 'nonce-N0'",
    "base-uri 'none'",
    "form-action 'none'",
  ]);
  expect(page.match(/<script/g)).toHaveLength(1);
  expect(page).not.toMatch(/style=|<style|\son\w+=/);
});

it('a huge file is refused with its size and what to do', () => {
  expect(refusalOf(longestShown)).toBeUndefined();
  expect(refusalOf(4_200_000)).toMatch(/4\.2 million characters.*up to 1 million.*attractor render/);
});
