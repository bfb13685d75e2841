import type { Diagnostic } from '../../../diagnostic/diagnostic.js';
import { nearestName } from '../../../diagnostic/did-you-mean.js';
import { attributeDefinition } from '../../../graph/attributes.js';
import type { Attribute, Graph } from '../../../graph/graph.js';
import { isGraphvizAttribute } from '../../../graph/graphviz-attributes.js';
import type { KnownHandlerTypes } from '../../../graph/known-handler-types.js';
import { namespaces } from '../../../parser/namespaces.js';
import {
  type UnknownRoot,
  unknownRoots,
  unknownRootsInShell,
} from '../../../parser/template/unknown-roots.js';
import { contextWriters, handlerKeys } from '../../analysis/context-writes.js';
import { findingsInside } from '../../findings-inside.js';
import type { LintRule } from '../../rule.js';
import { attributesWithValues } from '../../written-attributes.js';

/** SEMANTICS §12 "Values at run time": only known namespaces are replaced. */
export const unknownValueRoot: LintRule = {
  name: 'unknown_value_root',
  severity: 'warning',
  summary: 'A value in a template begins with a known namespace.',
  rationale:
    'A `${path}` in a prompt, a command or another template stands for a value of the run where the path begins with a namespace that a run has: `context.`, `inputs.`, `result.`, `graph.`, and the others that `docs/pipelines.md` names. With any other name, or without one, it is left as it is written, so that the model reads the braces, and the shell complains about them. What a stage has set is `${context.…}`, what `--set` gives is `${inputs.…}`, and the goal is `$goal` in a prompt.',
  *apply(graph, { source, handlerTypes }) {
    let meant: Meant | undefined;
    const keys = new Set([...handlerKeys, ...contextWriters(graph, handlerTypes).declaredKeys]);
    for (const { attribute, definition, place } of attributesWithValues(graph)) {
      if (definition?.template === undefined || typeof attribute.value !== 'string') continue;
      const find = definition.template === 'shell' ? unknownRootsInShell : unknownRoots;
      meant ??= namesMeant(graph, handlerTypes);
      const names = meant;
      const roots = find(attribute.value, (name) => names.has(name));
      const remarks = roots.map((root) =>
        root.path === root.root ? bareName(root, names, attribute) : unknownRoot(root, keys),
      );
      for (const finding of findingsInside(attribute, remarks, source)) {
        yield { ...finding, ...place };
      }
    }
  },
};

const known = namespaces.map((name) => `\`${name}.\``).join(', ');

/** Names of authors and other tools for a namespace. */
const otherRoots: ReadonlyMap<string, string> = new Map([
  ['param', 'inputs'],
  ['params', 'inputs'],
  ['ctx', 'context'],
  ['ctxt', 'context'],
  ['contxt', 'context'],
]);

function unknownRoot({ path, root, span }: UnknownRoot, keys: ReadonlySet<string>): Diagnostic {
  const namespace = otherRoots.get(root) ?? nearestName(root, namespaces);
  const inContext = keys.has(path) ? `context.${path}` : undefined;
  const meant = inContext ?? (namespace && namespace + path.slice(root.length));
  return {
    rule: 'unknown_value_root',
    severity: 'warning',
    span,
    message: `"\${${path}}" stays as it is written, because no value of a run begins with \`${root}.\`; values begin with ${known}${meant === undefined ? '' : ` (did you mean "\${${meant}}"?)`}`,
    fix: {
      title: meant === undefined ? 'begin with one of these' : `write \`\${${meant}}\` if that is meant`,
      edits: [],
    },
  };
}

/** Names that are values of this pipeline only after a namespace, with the path of each. */
type Meant = ReadonlyMap<string, string>;

function namesMeant(graph: Graph, handlerTypes: KnownHandlerTypes): Meant {
  const { declaredKeys } = contextWriters(graph, handlerTypes);
  const ofContext = [...ofEveryRun, ...handlerKeys, ...declaredKeys].filter((key) => !key.includes('.'));
  const ofGraph = [...graph.attributes.keys()].filter(
    (name) => attributeDefinition('graph', name) === undefined && !isGraphvizAttribute(name),
  );
  return new Map([
    ['goal', 'graph.goal'],
    ...ofGraph.map((name) => [name, `graph.${name}`] as const),
    ...ofContext.map((key) => [key, `context.${key}`] as const),
  ]);
}

/** Keys that the engine itself keeps in the context (§5.1). */
const ofEveryRun = ['outcome', 'preferred_label', 'current_node'];

function bareName({ path: name, span }: UnknownRoot, meant: Meant, { name: where }: Attribute): Diagnostic {
  const path = name === 'goal' && where === 'prompt' ? '$goal' : `\${${meant.get(name) ?? name}}`;
  return {
    rule: 'unknown_value_root',
    severity: 'warning',
    span,
    message: `"\${${name}}" stays as it is written, because it has no namespace (did you mean "${path}"?)`,
    fix: { title: `write \`${path}\``, edits: [] },
  };
}
