import { attributeDefinition } from '../../../graph/attributes.js';
import { attributeText } from '../../../graph/graph.js';
import { handlerTypeOf } from '../../../graph/queries.js';
import { declaredInputs } from '../../../graph/values/declared-inputs.js';
import { writingType } from '../../../graph/values/handler-keys.js';
import { describeType, type KeyEntry, keyListOf } from '../../../graph/values/key-lists.js';
import { describeAttribute } from '../completion/attribute-names.js';
import { mentionsIn } from '../text/mentions.js';
import { isSameThing, type MentionRole, type NamedThing } from '../text/named-thing.js';
import type { Neighbours, PipelineText } from '../text/pipeline-text.js';
import { explainNode } from './explain-node.js';
import type { Explanation } from './hover.js';

/** Words about something that a text names; undefined if there is nothing to say. */
export function explainThing(
  thing: NamedThing,
  pipeline: PipelineText,
  neighbours: Neighbours,
): Explanation | undefined {
  const own = thing.owner === pipeline.uri ? pipeline : neighbours.pipeline(thing.owner);
  switch (thing.kind) {
    case 'node':
      return explainNode(pipeline, thing.name);
    case 'key':
      return explainKey(thing, pipeline);
    case 'input':
      return own === undefined ? undefined : explainInput(thing, own);
    case 'class':
      return explainClass(thing.name, pipeline);
    case 'engine_key':
      return explainEngineKey(thing, pipeline);
    case 'graph_attribute':
      return explainGraphAttribute(thing.name, pipeline);
    case 'file':
      return explainFile(thing.name, neighbours);
  }
}

/** Places that have certain roles for a thing, each once: the stages that write a key, the conditions that read it. */
function placesWith(thing: NamedThing, pipeline: PipelineText, roles: readonly MentionRole[]): string {
  const places = mentionsIn(pipeline).flatMap((mention) =>
    isSameThing(mention.thing, thing) && roles.includes(mention.role) ? (mention.place ?? []) : [],
  );
  return [...new Set(places)].join(', ');
}

function explainKey(thing: NamedThing, pipeline: PipelineText): Explanation {
  const writers = placesWith(thing, pipeline, ['write']);
  const readers = placesWith(thing, pipeline, ['read']);
  const entry = entryOf(thing.name, pipeline);
  return {
    title: `context.${thing.name}`,
    text:
      writers === ''
        ? 'No stage of this pipeline says that it writes this key.'
        : `A key that a stage writes${entry === undefined ? '' : `: ${describeEntry(entry)}`}.`,
    details: [
      `Written by: ${writers === '' ? 'nobody' : writers}`,
      `Read by: ${readers === '' ? 'nobody' : readers}`,
    ],
  };
}

/** Entry of the first `writes` with this key. */
function entryOf(key: string, { graph }: PipelineText): KeyEntry | undefined {
  for (const { attributes } of graph.nodes.values()) {
    const writes = attributes.get('writes');
    const entry = writes && keyListOf(writes).list?.entries.find((one) => one.key === key);
    if (entry !== undefined) return entry;
  }
  return undefined;
}

function explainInput(thing: NamedThing, pipeline: PipelineText): Explanation | undefined {
  const entry = declaredInputs(pipeline.graph)?.get(thing.name);
  if (entry === undefined) return undefined;
  const readers = placesWith(thing, pipeline, ['read']);
  return {
    title: `inputs.${thing.name}`,
    text: `An input of this pipeline: ${describeEntry(entry)}.`,
    details: [`Read by: ${readers === '' ? 'nobody' : readers}`],
  };
}

function describeEntry({ type, isOptional, default: literal }: KeyEntry): string {
  const optional = isOptional ? ', which may be missing' : '';
  const given = literal === undefined ? '' : `, by default ${literal.text}`;
  return `${describeType(type)}${optional}${given}`;
}

function explainClass(name: string, { graph }: PipelineText): Explanation {
  const ids = [...graph.nodes.values()].filter(({ classes }) => classes.includes(name)).map(({ id }) => id);
  return {
    title: `.${name} (class)`,
    text: ids.length === 0 ? 'No node has this class.' : `Class of ${ids.join(', ')}.`,
  };
}

function explainEngineKey({ name }: NamedThing, { graph, handlerTypes }: PipelineText): Explanation {
  const type = writingType(name);
  if (type === undefined)
    return {
      title: name,
      text: engineWords.get(name.split('.', 1)[0] ?? '') ?? 'A key that the engine sets.',
    };
  const writers = [...graph.nodes.values()].filter(
    (node) => handlerTypeOf(graph, node, handlerTypes).type === type.type,
  );
  return {
    title: name,
    text: `A key that each stage of this kind sets: ${type.title}.`,
    details: [`Set by: ${writers.length === 0 ? 'nobody' : writers.map(({ id }) => id).join(', ')}`],
  };
}

const engineWords: ReadonlyMap<string, string> = new Map([
  ['outcome', 'The status of the outcome that routes: success, partial_success, fail or skipped.'],
  ['preferred_label', 'The label that the outcome prefers.'],
  ['result', 'The outcome of the stage before.'],
  ['internal', 'A key of the engine, which it sets in every run.'],
]);

function explainGraphAttribute(name: string, { graph }: PipelineText): Explanation | undefined {
  const written = graph.attributes.get(name);
  const definition = attributeDefinition('graph', name);
  if (written === undefined && definition === undefined) return undefined;
  return {
    title: `graph.${name}`,
    text: definition === undefined ? 'An attribute of the pipeline.' : describeAttribute(definition),
    details: written === undefined ? [] : [`Here: ${attributeText(written.value)}`],
  };
}

function explainFile(uri: string, neighbours: Neighbours): Explanation | undefined {
  const child = neighbours.pipeline(uri);
  if (child === undefined) {
    const text = neighbours.text(uri);
    return text === undefined ? undefined : { title: nameOf(uri), text: firstLines(text) };
  }
  const { graph } = child;
  const goal = graph.attributes.get('goal');
  const inputs = [...(declaredInputs(graph)?.values() ?? [])].map(
    (entry) => `${entry.key}: ${describeEntry(entry)}`,
  );
  return {
    title: `${nameOf(uri)} (pipeline ${graph.name}, ${graph.nodes.size} nodes)`,
    text: goal === undefined ? '' : attributeText(goal.value),
    details: inputs.map((input) => `Input ${input}`),
  };
}

function nameOf(uri: string): string {
  return decodeURIComponentSafely(uri.slice(uri.lastIndexOf('/') + 1));
}

function decodeURIComponentSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const mostLines = 8;

function firstLines(text: string): string {
  const lines = text.split(/\r?\n/);
  return lines.length <= mostLines ? text.trimEnd() : `${lines.slice(0, mostLines).join('\n')}\n…`;
}
