import type { Diagnostic } from '../../diagnostic/diagnostic.js';
import { nearestName } from '../../diagnostic/did-you-mean.js';
import { namespaces } from '../../parser/namespaces.js';
import { type UnknownRoot, unknownRoots, unknownRootsInShell } from '../../parser/template/unknown-roots.js';
import { findingsInside } from '../findings-inside.js';
import type { LintRule } from '../rule.js';
import { attributesWithValues } from '../written-attributes.js';

/** SEMANTICS §12 "Values at run time": only the known namespaces are touched. */
export const unknownValueRoot: LintRule = {
  name: 'unknown_value_root',
  severity: 'warning',
  summary: 'A value in a template begins with a known namespace.',
  rationale:
    'A `${path}` in a prompt, a command or another template stands for a value of the run where the path begins with a namespace that a run has: `context.`, `inputs.`, `result.`, `graph.`, and the others that `docs/pipelines.md` names. With any other name it is left as it is written, so that the model reads the braces, and the shell complains about them. What a stage has set is `${context.…}`, what `--set` gives is `${inputs.…}`.',
  *apply(graph, { source }) {
    for (const { attribute, definition, place } of attributesWithValues(graph)) {
      if (definition?.template === undefined || typeof attribute.value !== 'string') continue;
      const find = definition.template === 'shell' ? unknownRootsInShell : unknownRoots;
      for (const finding of findingsInside(attribute, find(attribute.value).map(unknownRoot), source)) {
        yield { ...finding, ...place };
      }
    }
  },
};

const known = namespaces.map((name) => `\`${name}.\``).join(', ');

function unknownRoot({ path, root, span }: UnknownRoot): Diagnostic {
  const namespace = nearestName(root, namespaces) ?? 'context';
  const meant = namespace === 'context' ? `context.${path}` : namespace + path.slice(root.length);
  return {
    rule: 'unknown_value_root',
    severity: 'warning',
    span,
    message: `"\${${path}}" stays as it is written, because no value of a run begins with \`${root}.\`; values begin with ${known}`,
    fix: { title: `write \`\${${meant}}\` if that is meant`, edits: [] },
  };
}
