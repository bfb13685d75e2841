import type { Diagnostic } from '../../../diagnostic/diagnostic.js';
import { keyListAttributes, keyListOf } from '../../../graph/values/key-lists.js';
import type { NamedKey } from '../../../parser/key-list/ast.js';
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
    for (const name of ['inputs', 'env_requires']) {
      const attribute = graph.attributes.get(name);
      if (attribute === undefined) continue;
      const { keys, diagnostics } = keyListOf(attribute);
      const dotted = keys.filter(({ key }) => key.includes('.')).map(dottedName);
      yield* findingsInside(attribute, [...diagnostics, ...dotted], source);
    }
    for (const name of keyListAttributes) {
      for (const { owner, attribute } of distinctAttributes(attributeOwners(graph).nodesWith(name), name)) {
        const findings = findingsInside(attribute, keyListOf(attribute).diagnostics, source);
        for (const finding of findings) yield { ...finding, nodeId: owner.id };
      }
    }
  },
};

function dottedName({ key, keySpan: span }: NamedKey): Diagnostic {
  const message = `"${key}" has a dot; a name here is one word`;
  return { rule: 'key_list_syntax', code: 'dotted_name', severity: 'error', message, span };
}
