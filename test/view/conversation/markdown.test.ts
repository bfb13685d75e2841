import { expect, test } from 'vitest';
import { type MarkdownNode, readMarkdown } from '../../../src/view/conversation/markdown.js';

/** Nodes as an outline: elements in brackets, texts as they are. */
function outline(nodes: readonly MarkdownNode[]): string {
  return nodes
    .map((node) => {
      if (node.kind === 'text') return node.text;
      if (node.kind === 'code') return `\`${node.text}\``;
      if (node.kind === 'block_code') return `[code ${node.language}: ${node.text}]`;
      if (node.kind !== 'element') return `[${node.kind}]`;
      const more = [node.number, node.href].filter((one) => one !== undefined).join(' ');
      return `[${node.tag}${more === '' ? '' : ` ${more}`}: ${outline(node.children)}]`;
    })
    .join('');
}

test.each([
  ['# Plan\n\nDo *this* and **that**.', '[heading 1: Plan][p: Do [em: this] and [strong: that].]'],
  ['- one\n- two', '[ul: [li: one][li: two]]'],
  ['3. a\n\n4. b', '[ol 3: [li: [p: a]][li: [p: b]]]'],
  ['```ts\nlet a = `<b>`;\n```', '[code ts: let a = `<b>`;]'],
  ['> quoted `x`', '[blockquote: [p: quoted `x`]]'],
  ['| a | b |\n|---|---|\n| 1 | 2 |', '[table: [thead: [tr: [th: a][th: b]]][tbody: [tr: [td: 1][td: 2]]]]'],
  ['[site](https://a.example/x?y=1)', '[p: [a https://a.example/x?y=1: site]]'],
  ['<mailto:a@b.example>', '[p: [a mailto:a@b.example: mailto:a@b.example]]'],
])('reads %j', (text, expected) => {
  expect(outline(readMarkdown(text))).toBe(expected);
});

test.each([
  ['<script>alert(1)</script>', '[p: <script>alert(1)</script>]'],
  ['<img src=x onerror=alert(1)>', '[p: <img src=x onerror=alert(1)>]'],
  ['a <b onclick="x">b</b>', '[p: a <b onclick="x">b</b>]'],
  ['[x](javascript:alert(1))', '[p: [x](javascript:alert(1))]'],
  ['[x](JaVaScRiPt&colon;alert(1))', '[p: [x](JaVaScRiPt:alert(1))]'],
  ['[x](data:text/html,<script>1</script>)', '[p: [x](data:text/html,<script>1</script>)]'],
  ['[x](//evil.example)', '[p: x]'],
  ['[x](/pipelines/1/cancel)', '[p: x]'],
  ['[x](src/main.ts)', '[p: x]'],
  ['[x][1]\n\n[1]: vbscript:x', '[p: [x][1]][p: [1]: vbscript:x]'],
  ['<javascript:alert(1)>', '[p: <javascript:alert(1)>]'],
  ['![a cat](https://evil.example/cat.png)', '[p: [a https://evil.example/cat.png: [image: a cat]]]'],
  ['![](data:image/png;base64,AAAA)', '[p: [image]]'],
  ['[x](https://a.example "t\\" onmouseover=\\"x")', '[p: [a https://a.example: x]]'],
])('takes nothing dangerous from %j', (text, expected) => {
  expect(outline(readMarkdown(text))).toBe(expected);
});

test('a text that is too long is shown as it is', () => {
  const text = '*x* '.repeat(60_000);
  expect(readMarkdown(text)).toEqual([{ kind: 'block_code', text, language: '' }]);
});
