import { describe, expect, it } from 'vitest';
import { SemanticTokensBuilder } from 'vscode-languageserver/node';
import { withoutType } from '../../../editors/vscode/src/server/without-type.js';
import { fc } from '../../support/fast-check.js';

type Token = readonly [line: number, column: number, length: number, type: number];

function encoded(tokens: readonly Token[]): Uint32Array {
  const builder = new SemanticTokensBuilder();
  for (const [line, column, length, type] of tokens) builder.push(line, column, length, type, 0);
  return Uint32Array.from(builder.build().data);
}

describe('tokens without a type', () => {
  it('stay where they are', () => {
    const tokens: readonly Token[] = [
      [0, 2, 1, 7],
      [0, 4, 2, 1],
      [0, 8, 2, 7],
      [0, 12, 1, 2],
      [3, 1, 5, 7],
      [3, 9, 1, 1],
      [5, 0, 1, 1],
    ];
    expect([...withoutType(encoded(tokens), 7)]).toEqual([
      ...encoded(tokens.filter(([, , , type]) => type !== 7)),
    ]);
  });

  it('stay where they are, whatever is left out', () => {
    const token = fc.tuple(fc.nat(6), fc.nat(40), fc.integer({ min: 1, max: 3 }), fc.nat(2));
    fc.assert(
      fc.property(fc.array(token, { maxLength: 30 }), fc.nat(2), (tokens, type) => {
        const sorted = tokens.toSorted((one, other) => one[0] - other[0] || one[1] - other[1]);
        const kept = sorted.filter((one) => one[3] !== type);
        expect([...withoutType(encoded(sorted), type)]).toEqual([...encoded(kept)]);
      }),
    );
  });
});
