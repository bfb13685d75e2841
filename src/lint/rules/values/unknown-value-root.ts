import type { Diagnostic } from '../../../diagnostic/diagnostic.js';
import { nearestName } from '../../../diagnostic/did-you-mean.js';
import { attributeDefinition } from '../../../graph/attributes.js';
import { parallelsAround } from '../../../graph/flow/branch-regions.js';
import type { Attribute, Graph } from '../../../graph/graph.js';
import { isGraphvizAttribute } from '../../../graph/graphviz/graphviz-attributes.js';
import type { KnownHandlerTypes } from '../../../graph/known-handler-types.js';
import { foreachOf } from '../../../graph/parallel.js';
import { declaredInputs } from '../../../graph/values/declared-inputs.js';
import { handlerKeys } from '../../../graph/values/handler-keys.js';
import { namespaces } from '../../../parser/namespaces.js';
import { type ForeignValue, foreignValues } from '../../../parser/template/foreign-values.js';
import {
  type UnknownRoot,
  unknownRoots,
  unknownRootsInShell,
} from '../../../parser/template/unknown-roots.js';
import { contextWriters } from '../../analysis/context-writes.js';
import { attributeOwners } from '../../attribute-owners.js';
import { findingsInside } from '../../findings-inside.js';
import { nodeRegions } from '../../node-regions.js';
import type { LintContext, LintRule } from '../../rule.js';
import { attributesWithValues, type WrittenAttribute, writtenAttributes } from '../../written-attributes.js';

/** SEMANTICS §12 "Values at run time": only known namespaces are replaced. */
export const unknownValueRoot: LintRule = {
  name: 'unknown_value_root',
  severity: 'warning',
  summary: 'A value in a template begins with a known namespace.',
  rationale:
    'A `${path}` in a prompt, a command or another template is replaced by a value of the run if the path begins with a known namespace: `context.`, `inputs.`, `result.`, `graph.`, or one of the others in `docs/pipelines.md`. Any other `${…}` stays as written: the model sees the braces, and the shell complains about them. Write `${context.…}` for a value that a stage has set, `${inputs.…}` for a value from `--set`, and `$goal` for the goal in a prompt. The notations of other tools, `{{ name }}` and `$context.key`, are not replaced either. In the branch of a `foreach`, the bare name of the item (`${item}`) is an error, because every item would get the same text.',
  fixable: true,
  *apply(graph, context) {
    const { source, handlerTypes } = context;
    let meant: Meant | undefined;
    const keys = settableKeys(graph, handlerTypes);
    for (const { attribute, definition, place: location } of attributesWithForeignValues(graph)) {
      if (definition?.template === undefined || typeof attribute.value !== 'string') continue;
      meant ??= namesMeant(graph, handlerTypes);
      const remarks = foreignRemarks(attribute, definition.template, meant);
      for (const finding of findingsInside(attribute, remarks, source)) yield { ...finding, ...location };
    }
    for (const { attribute, definition, place: location } of attributesWithValues(graph)) {
      if (definition?.template === undefined || typeof attribute.value !== 'string') continue;
      const find = definition.template === 'shell' ? unknownRootsInShell : unknownRoots;
      meant ??= namesMeant(graph, handlerTypes);
      const names = meant;
      const items = itemsIn(graph, context, location.nodeId);
      const roots = find(attribute.value, (name) => names.has(name) || items.has(name));
      const remarks = roots.map((root) => {
        if (items.has(root.root)) return bareItem(root);
        return root.path === root.root ? bareName(root, names, attribute) : unknownRoot(root, keys, graph);
      });
      for (const finding of findingsInside(attribute, remarks, source)) {
        yield { ...finding, ...location };
      }
    }
  },
};

const expected = namespaces.map((name) => `\`${name}.\``).join(', ');

/** Names of authors and other tools for a namespace. */
const otherRoots: ReadonlyMap<string, string> = new Map([
  ['param', 'inputs'],
  ['params', 'inputs'],
  ['ctx', 'context'],
  ['ctxt', 'context'],
  ['contxt', 'context'],
]);

function unknownRoot({ path, root, span }: UnknownRoot, keys: ReadonlySet<string>, graph: Graph): Diagnostic {
  const inContext = keys.has(path) ? `context.${path}` : undefined;
  const suggestion = inContext ?? inNamespace(path, root, graph);
  return {
    rule: 'unknown_value_root',
    severity: 'warning',
    span,
    message: `"\${${path}}" stays as written, because no value of a run begins with \`${root}.\`; values begin with ${expected}${suggestion === undefined ? '' : ` (did you mean "\${${suggestion}}"?)`}`,
    fix: {
      title:
        suggestion === undefined
          ? 'use one of these namespaces'
          : `write \`\${${suggestion}}\` if that is intended`,
      edits: [],
    },
  };
}

/** Path with the namespace that its root means; undefined if a run cannot have it. */
function inNamespace(path: string, root: string, graph: Graph): string | undefined {
  const namespace = otherRoots.get(root) ?? nearestName(root, namespaces);
  if (namespace === undefined) return undefined;
  const key = path.slice(root.length + 1);
  const isRefused = namespace === 'inputs' && declaredInputs(graph)?.has(key.split('.')[0] ?? '') === false;
  return isRefused ? undefined : `${namespace}.${key}`;
}

/** Keys that a stage of this pipeline sets by its handler or its `writes`. */
function settableKeys(graph: Graph, handlerTypes: KnownHandlerTypes): ReadonlySet<string> {
  const writers = contextWriters(graph, handlerTypes);
  return new Set([...handlerKeys.filter((key) => writers.of(key).size > 0), ...writers.declaredKeys]);
}

const mayBeForeign = new RegExp(String.raw`\{\{|\$(?:${namespaces.join('|')})\.`);

function hasForeignValue({ value }: Attribute): boolean {
  return typeof value === 'string' && mayBeForeign.test(value);
}

function attributesWithForeignValues(graph: Graph): readonly WrittenAttribute[] {
  return attributeOwners(graph).attributes.some(hasForeignValue)
    ? writtenAttributes(graph, hasForeignValue)
    : [];
}

/** Remarks about `{{ name }}` and `$context.key`. A name without a meaning here is mentioned once, and not of a command. */
function foreignRemarks(
  attribute: Attribute,
  template: 'text' | 'shell',
  names: Meant,
): readonly Diagnostic[] {
  const text = String(attribute.value);
  const remarks: Diagnostic[] = [];
  let isUnknownSaid = template === 'shell';
  for (const value of foreignValues(text)) {
    const [root = ''] = value.path.split('.');
    const isOfShell =
      template === 'shell' && (!['context', 'inputs', 'graph'].includes(root) || text.includes(`${root}=`));
    if (isOfShell) continue;
    const suggestion = meaningOf(value.path, names, attribute);
    if (suggestion !== undefined) remarks.push(foreignRemark(value, suggestion));
    else if (!isUnknownSaid) {
      isUnknownSaid = true;
      remarks.push({ ...foreignRemark(value), severity: 'info' });
    }
  }
  return remarks;
}

/** `${…}` of a known path of a run, if a name resembles one. */
function meaningOf(path: string, names: Meant, attribute: Attribute): string | undefined {
  const [root = '', ...rest] = path.split('.');
  const other = otherRoots.get(root);
  if (rest.length === 0) return names.has(path) ? spellingOf(path, names, attribute) : undefined;
  if (namespaces.includes(root)) return `\${${path}}`;
  return other === undefined ? undefined : `\${${[other, ...rest].join('.')}}`;
}

function foreignRemark({ written, span }: ForeignValue, suggestion?: string): Diagnostic {
  const hint = suggestion === undefined ? '' : ` (did you mean "${suggestion}"?)`;
  return {
    rule: 'unknown_value_root',
    severity: 'warning',
    span,
    message: `"${written}" stays as written: a value of the run is written \`\${namespace.key}\`${hint}`,
    fix: {
      title:
        suggestion === undefined
          ? 'write `${context.KEY}` or `${inputs.NAME}` if a value is meant'
          : `write \`${suggestion}\``,
      edits: [],
    },
  };
}

/** Names that are values of this pipeline only after a namespace, with the path of each. */
type Meant = ReadonlyMap<string, string>;

function namesMeant(graph: Graph, handlerTypes: KnownHandlerTypes): Meant {
  const keys = settableKeys(graph, handlerTypes);
  const ofContext = [...ofEveryRun, ...keys].filter((key) => !key.includes('.'));
  const ofInputs = [...(declaredInputs(graph)?.keys() ?? [])];
  const ofGraph = [...graph.attributes.keys()].filter(
    (name) => attributeDefinition('graph', name) === undefined && !isGraphvizAttribute(name),
  );
  return new Map([
    ['goal', 'graph.goal'],
    ...ofGraph.map((name) => [name, `graph.${name}`] as const),
    ...ofContext.map((key) => [key, `context.${key}`] as const),
    ...ofInputs.map((name) => [name, `inputs.${name}`] as const),
  ]);
}

const noItems: ReadonlySet<string> = new Set();

/** Keys of the items of the lists around a stage that runs in their branches only (SEMANTICS 106). */
function itemsIn(graph: Graph, context: LintContext, nodeId: string | undefined): ReadonlySet<string> {
  if (nodeId === undefined || attributeOwners(graph).nodesWith('foreach').length === 0) return noItems;
  const [region] = nodeRegions(graph, context).regionsOf(nodeId);
  const lists = parallelsAround(region).flatMap((id) => graph.nodes.get(id) ?? []);
  return new Set(lists.flatMap((node) => foreachOf(node)?.as ?? []));
}

/** SEMANTICS 106: in templates the item of a list is `${context.<as>…}` only. */
function bareItem({ path, span }: UnknownRoot): Diagnostic {
  const suggestion = `\${context.${path}}`;
  return {
    rule: 'unknown_value_root',
    severity: 'error',
    span,
    message: `"\${${path}}" stays as written: the item of the list is "${suggestion}"`,
    fix: { title: `write \`${suggestion}\``, edits: [{ span, text: suggestion }] },
  };
}

/** Keys that the engine itself keeps in the context (§5.1). */
const ofEveryRun = ['outcome', 'preferred_label', 'current_node'];

function spellingOf(name: string, meant: Meant, { name: where }: Attribute): string {
  return name === 'goal' && where === 'prompt' ? '$goal' : `\${${meant.get(name) ?? name}}`;
}

function bareName({ path: name, span }: UnknownRoot, meant: Meant, attribute: Attribute): Diagnostic {
  const path = spellingOf(name, meant, attribute);
  return {
    rule: 'unknown_value_root',
    severity: 'warning',
    span,
    message: `"\${${name}}" stays as written, because it has no namespace (did you mean "${path}"?)`,
    fix: { title: `write \`${path}\``, edits: [] },
  };
}
