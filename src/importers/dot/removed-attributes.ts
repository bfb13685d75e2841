import type { Span } from '../../diagnostic/source.js';
import type { AttributeNode, Statement } from '../../parser/dot/ast.js';

/** Parts of a text that go with removed attributes of a statement: their commas too, and an empty block. */
export function removedSpans(
  source: string,
  statement: Statement,
  all: readonly AttributeNode[],
  gone: ReadonlySet<AttributeNode>,
): readonly Span[] {
  if (all.every((attribute) => gone.has(attribute))) return [blockOf(source, statement)];
  return runsOf(source, all, gone).map(([first, last]) => {
    const start = first.span.start;
    const next = all[all.indexOf(last) + 1];
    if (next !== undefined) {
      const gap = source.slice(last.span.end, next.span.start);
      const comma = source[last.span.end] === ',' ? 1 : 0;
      return { start, end: hasComment(gap) ? last.span.end + comma : next.span.start };
    }
    const before = all[all.indexOf(first) - 1];
    const gap = source.slice(before?.span.end, start);
    return { start: before === undefined || hasComment(gap) ? start : before.span.end, end: last.span.end };
  });
}

/** Removed attributes that follow one another, without a comment between them. */
function runsOf(
  source: string,
  all: readonly AttributeNode[],
  gone: ReadonlySet<AttributeNode>,
): readonly (readonly [first: AttributeNode, last: AttributeNode])[] {
  const runs: [AttributeNode, AttributeNode][] = [];
  all.forEach((attribute, index) => {
    if (!gone.has(attribute)) return;
    const run = runs.at(-1);
    const before = all[index - 1];
    const continues = run !== undefined && run[1] === before;
    if (continues && !hasComment(source.slice(run[1].span.end, attribute.span.start))) run[1] = attribute;
    else runs.push([attribute, attribute]);
  });
  return runs;
}

function hasComment(gap: string): boolean {
  return gap.includes('//') || gap.includes('/*');
}

/** Block of a node or edge without its id; the whole line of any other statement. */
function blockOf(source: string, statement: Statement): Span {
  const { start, end } = statement.span;
  if (statement.kind === 'node') return { start: statement.id.span.end, end: endOfBlock(source, statement) };
  if (statement.kind !== 'edge') return { start, end: endOfLine(source, statement.span) };
  return { start: statement.chain.at(-1)?.span.end ?? end, end: endOfBlock(source, statement) };
}

function endOfBlock(source: string, { span }: Statement): number {
  return source[span.end - 1] === ';' ? span.end - 1 : span.end;
}

/** End of a statement with the rest of its line, if nothing else is on it, and the indentation after it. */
function endOfLine(source: string, { start, end }: Span): number {
  const isFirst = source.slice(source.lastIndexOf('\n', start - 1) + 1, start).trim() === '';
  const rest = isFirst ? /^[^\S\n]*;?[^\S\n]*\n[^\S\n]*/.exec(source.slice(end, end + 1000)) : null;
  return end + (rest?.[0].length ?? 0);
}
