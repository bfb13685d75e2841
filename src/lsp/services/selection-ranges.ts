import type { Span } from '../../diagnostic/source.js';
import { attributesIn, statementsIn } from './text/attributes-in.js';
import { mentionsIn } from './text/mentions.js';
import type { PipelineText } from './text/pipeline-text.js';

/** Spans around an offset, from the smallest to the whole text: word, value, attribute, statement, subgraph, pipeline. */
export function selectionRanges(pipeline: PipelineText, offset: number): readonly Span[] {
  const { document } = pipeline.parsed;
  const { text } = pipeline;
  const word = wordAt(text, offset);
  const all = [
    { start: 0, end: text.length },
    ...(document.graph === undefined ? [] : [document.graph.span, document.graph.name.span]),
    ...statementsIn(document).map(({ statement }) => statement.span),
    ...attributesIn(document).flatMap(({ attribute: { span, key, value } }) => [
      span,
      key.span,
      value.span,
      ...insideQuotes(text, value.span),
    ]),
    ...mentionsIn(pipeline).map(({ span }) => span),
    ...(word === undefined ? [] : [word]),
  ];
  const around = all.filter(({ start, end }) => start <= offset && offset <= end);
  return nested(around.sort((one, other) => one.end - one.start - (other.end - other.start)));
}

function wordAt(text: string, offset: number): Span | undefined {
  const before = /[\w-]*$/.exec(text.slice(Math.max(0, offset - longestWord), offset))?.[0] ?? '';
  const after = /^[\w-]*/.exec(text.slice(offset, offset + longestWord))?.[0] ?? '';
  return before + after === '' ? undefined : { start: offset - before.length, end: offset + after.length };
}

const longestWord = 200;

function insideQuotes(text: string, { start, end }: Span): readonly Span[] {
  return text[start] === '"' && end - start > 2 ? [{ start: start + 1, end: end - 1 }] : [];
}

/** Each contains the one before it. */
function nested(spans: readonly Span[]): readonly Span[] {
  const found: Span[] = [];
  for (const span of spans) {
    const last = found.at(-1);
    const isOuter = last === undefined || (span.start <= last.start && span.end >= last.end);
    const isSame = last?.start === span.start && last.end === span.end;
    if (isOuter && !isSame) found.push(span);
  }
  return found;
}
