import { describe, expect, it } from 'vitest';
import { compile } from '../../../src/compiler/compile.js';

const pipeline = (...statements: string[]) => `digraph G {\n${statements.join('\n')}\n}`;
const ends = ['start [shape=Mdiamond]', 'exit [shape=Msquare]'];

describe('compile', () => {
  it('lints a chain of 100 000 nodes, and 100 000 mistakes, without running out of stack or patience', () => {
    const ids = Array.from({ length: 100_000 }, (_, index) => `n${index}`);
    const chain = pipeline(...ends, `start -> ${ids.join(' -> ')}`);
    expect(compile(chain).diagnostics.filter(({ rule }) => rule === 'implicit_node')).toHaveLength(99_999);
    const orphans = pipeline(
      ...ends,
      'start -> exit',
      ...ids.map((id) => `${id} [prompt="x", retry_target=x${id}]`),
    );
    expect(compile(orphans).diagnostics.filter(({ rule }) => rule === 'reachability')).toHaveLength(100_000);
    // Linear, but a lot for a busy machine.
  }, 180_000);
});
