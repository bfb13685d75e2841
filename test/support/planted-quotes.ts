import type { Statement, ValueNode } from '../../src/parser/dot/ast.js';
import { parseDot } from '../../src/parser/dot/parse.js';
import { fc } from './fast-check.js';

/** A text one of whose strings has two unescaped quotes inside, as authors write them who quote something in a prompt. */
export interface PlantedQuotes {
  readonly text: string;
  /** The string with its quotes, as it stands in the text. */
  readonly written: string;
}

/** The texts that come from planting two quotes anywhere in a string of one of these texts. */
export function plantedQuotes(texts: readonly string[]): fc.Arbitrary<PlantedQuotes> {
  const places = texts.flatMap((text) => stringsOf(text).map(({ span }) => ({ text, ...span })));
  return fc
    .record({ place: fc.constantFrom(...places), one: fc.nat(), other: fc.nat() })
    .map(({ place: { text, start, end }, one, other }) => {
      const inside = characters(text.slice(start + 1, end - 1));
      const cuts = [one, other]
        .map((cut) => cut % (inside.length + 1))
        .toSorted((left, right) => left - right);
      const [from = 0, to = 0] = cuts;
      const parts = [inside.slice(0, from), inside.slice(from, to), inside.slice(to)];
      const written = `"${parts.map((part) => part.join('')).join('"')}"`;
      return { text: text.slice(0, start) + written + text.slice(end), written };
    });
}

/** The text of a string without its backslashes, which a fix may add. */
export function withoutBackslashes(text: string): string {
  return text.replaceAll('\\', '');
}

/** The characters of a string, an escape as one. */
function characters(inside: string): readonly string[] {
  return inside.match(/\\[\s\S]|[\s\S]/gu) ?? [];
}

function stringsOf(text: string): readonly ValueNode[] {
  const values: ValueNode[] = [];
  const visit = (statements: readonly Statement[]): void => {
    for (const statement of statements) {
      if (statement.kind === 'subgraph') visit(statement.statements);
      else if (statement.kind === 'attribute') values.push(statement.attribute.value);
      else values.push(...statement.attributes.map(({ value }) => value));
    }
  };
  visit(parseDot(text).document.graph?.statements ?? []);
  return values.filter(({ span }) => text[span.start] === '"' && span.end - span.start > 2);
}
