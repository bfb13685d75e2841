import { describe, expect, it } from 'vitest';
import { sseParser } from '../../../src/web/api/sse-parser.js';
import { fc } from '../../support/fast-check.js';

// SEMANTICS 73: SSE as the page reads it.

const streams: readonly [name: string, text: string, messages: readonly object[]][] = [
  [
    'a message',
    'id: 3\nevent: StageStarted\ndata: {"a":1}\n\n',
    [{ id: '3', event: 'StageStarted', data: '{"a":1}' }],
  ],
  ['without a name', 'data: x\n\n', [{ id: undefined, event: 'message', data: 'x' }]],
  ['data of several lines', 'data: a\ndata: b\n\n', [{ id: undefined, event: 'message', data: 'a\nb' }]],
  [
    'comments and a time to wait',
    ': still here\n\nretry: 2000\n\ndata:x\n\n',
    [{ id: undefined, event: 'message', data: 'x' }],
  ],
  [
    'an id that stays',
    'id: 1\ndata: a\n\ndata: b\n\n',
    [
      { id: '1', event: 'message', data: 'a' },
      { id: '1', event: 'message', data: 'b' },
    ],
  ],
  ['a name without data', 'event: end\n\ndata: x\n\n', [{ id: undefined, event: 'message', data: 'x' }]],
  ['only one space is taken away', 'data:  x: y\n\n', [{ id: undefined, event: 'message', data: ' x: y' }]],
  ['what is not complete', 'data: x\n', []],
];

describe('reading an event stream', () => {
  it.each(streams)('%s', (_, text, messages) => {
    expect(sseParser()(text)).toEqual(messages);
  });

  it.each(streams)('%s, with other line breaks, cut anywhere', (_, text, messages) => {
    fc.assert(
      fc.property(fc.constantFrom('\n', '\r\n', '\r'), fc.array(fc.nat(40)), (lineBreak, lengths) => {
        const parse = sseParser();
        let rest = text.replaceAll('\n', lineBreak);
        const found: object[] = [];
        for (const length of lengths) {
          found.push(...parse(rest.slice(0, length)));
          rest = rest.slice(length);
        }
        // A carriage return at the very end waits for what may come after it.
        found.push(...parse(rest), ...(lineBreak === '\r' ? parse(':') : []));
        expect(found).toEqual(messages);
      }),
    );
  });
});
