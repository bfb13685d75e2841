import { perObject } from '../../../graph/per-object.js';
import type { PipelineText } from '../text/pipeline-text.js';
import { scan } from './edit-context.js';
import type { Suggestion } from './suggestion.js';

/** Ids that stand where nodes stand, in the order of the text, even of a broken one. */
export const nodesOf = perObject(({ text }: PipelineText): readonly Suggestion[] => {
  const tokens = scan(text).filter(({ kind }) => kind !== 'comment');
  const ids = new Set<string>();
  let isInList = false;
  for (const [index, token] of tokens.entries()) {
    if (token.text === '[') isInList = true;
    else if (token.text === ']') isInList = false;
    if (isInList || token.kind !== 'word' || !/^[A-Za-z_]\w*$/.test(token.text)) continue;
    const previous = tokens[index - 1]?.text;
    const next = tokens[index + 1]?.text;
    const isName = previous === 'digraph' || previous === 'subgraph' || next === '=' || previous === '=';
    if (!isName && !reserved.has(token.text)) ids.add(token.text);
  }
  return [...ids].map((id) => ({ label: id, kind: 'node' }));
});

const reserved: ReadonlySet<string> = new Set(['digraph', 'graph', 'node', 'edge', 'subgraph', 'strict']);
