import type { Diagnostic } from '../../../diagnostic/diagnostic.js';
import { keyListAttributes, keyListOf } from '../../../graph/values/key-lists.js';
import type { KeyEntry, NamedKey } from '../../../parser/key-list/ast.js';
import { attributeOwners } from '../../attribute-owners.js';
import { distinctAttributes } from '../../distinct-attributes.js';
import { findingsInside } from '../../findings-inside.js';
import type { LintRule } from '../../rule.js';

/** SEMANTICS 100: the lists of keys that nodes have. */
export const keyListSyntax: LintRule = {
  name: 'key_list_syntax',
  severity: 'error',
  fixable: true,
  summary: 'Every list of keys is valid.',
  rationale:
    'A list of keys says which inputs a pipeline takes, or which context keys a stage reads or writes; an invalid list would declare nothing. Separate keys with commas. A key may have a type, a `?` if its value may be missing, or a default: `reads="plan, score"`, `writes="verdict: pass|fail, findings: list, note: string?"`. The types are `string`, `number`, `integer`, `boolean`, `list`, `map` and `any`, or two or more words such as `low|high`. In a list without types, blanks and semicolons also separate keys.',
  *apply(graph, { source }) {
    for (const [name, declares] of graphLists) {
      const attribute = graph.attributes.get(name);
      if (attribute === undefined) continue;
      const { keys, list, diagnostics } = keyListOf(attribute);
      const dotted = keys.filter(({ key }) => key.includes('.')).map(dottedName);
      const declared = declares ? [] : (list?.entries ?? []).filter(saysMore).map(moreThanName);
      yield* findingsInside(attribute, [...diagnostics, ...dotted, ...declared], source);
    }
    for (const name of keyListAttributes) {
      for (const { owner, attribute } of distinctAttributes(attributeOwners(graph).nodesWith(name), name)) {
        const findings = findingsInside(attribute, keyListOf(attribute).diagnostics, source);
        for (const finding of findings) yield { ...finding, nodeId: owner.id };
      }
    }
  },
};

/** Lists of the graph; true if their names have types and defaults. */
const graphLists: readonly (readonly [name: string, declares: boolean])[] = [
  ['inputs', true],
  ['env_requires', false],
  ['requires', false],
];

function saysMore(entry: KeyEntry): boolean {
  return entry.span.end > entry.keySpan.end;
}

function moreThanName({ key, keySpan, span }: KeyEntry): Diagnostic {
  return {
    rule: 'key_list_syntax',
    code: 'more_than_name',
    severity: 'error',
    message: `"${key}" has a type, a "?" or a default; this list takes names only`,
    span: { start: keySpan.end, end: span.end },
  };
}

function dottedName({ key, keySpan: span }: NamedKey): Diagnostic {
  const message = `"${key}" has a dot; a name here is one word`;
  return { rule: 'key_list_syntax', code: 'dotted_name', severity: 'error', message, span };
}
