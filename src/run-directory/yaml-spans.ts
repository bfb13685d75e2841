import { type Document, isAlias, isMap, isNode, isPair, isSeq } from 'yaml';

/** Part of a YAML text: offsets of its start, and of the end of its own text. */
export interface YamlSpan {
  readonly start: number;
  readonly end: number;
}

/**
 * Span of a part of a YAML document, as deep as the text goes along a path.
 * @param part of an entry of a map: its key, or its value
 * @returns undefined if nothing of the path is in the text
 */
export function yamlSpan(
  document: Document.Parsed,
  path: readonly PropertyKey[],
  part: 'key' | 'value' = 'key',
): YamlSpan | undefined {
  let node: unknown = document.contents;
  let span: YamlSpan | undefined;
  for (const key of path) {
    if (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const pair = node.items.find((item) => String(item.key) === String(key));
      // A reader may have put one item into a list, or a list into an object.
      if (pair === undefined) continue;
      const value: unknown = pair.value;
      span = spanOf(part === 'value' && !isEmpty(value) ? value : pair.key) ?? span;
      node = value;
    } else if (isSeq(node)) {
      const item: unknown = node.items[Number(key)];
      if (item === undefined) continue;
      span = spanOf(item) ?? span;
      node = isPair(item) ? item.value : item;
    } else break;
  }
  return span;
}

function isEmpty(value: unknown): boolean {
  return (
    !isNode(value) || value.range === null || value.range === undefined || value.range[0] === value.range[1]
  );
}

function spanOf(node: unknown): YamlSpan | undefined {
  if (!isNode(node) || node.range === null || node.range === undefined) return undefined;
  const [start, end] = node.range;
  return { start, end };
}
