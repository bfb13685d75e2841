import type { AttributeDefinition } from '../../../graph/attribute-tables/attribute-definition.js';
import {
  type AttributeOwner,
  attributeDefinition,
  attributeNames,
  parameterPrefix,
} from '../../../graph/attributes.js';
import type { BuiltInHandlerType } from '../../../graph/handler-types.js';
import { handlerTypeNamed } from '../../../graph/handler-types.js';
import { handlerTypeOf } from '../../../graph/queries.js';
import { declaredInputs } from '../../../graph/values/declared-inputs.js';
import { describeType as describeKeyType } from '../../../graph/values/key-lists.js';
import { childOf } from '../text/mentions.js';
import type { Neighbours, PipelineText } from '../text/pipeline-text.js';
import type { EditContext } from './edit-context.js';
import type { Suggestion } from './suggestion.js';

type AttributeNameContext = Extract<EditContext, { readonly kind: 'attribute_name' }>;

/** Attributes that the owner does not have yet; of a node those that its handler reads. */
export function namesOf(
  pipeline: PipelineText,
  { owner, nodeId, written }: AttributeNameContext,
  neighbours: Neighbours,
): readonly Suggestion[] {
  const type = nodeId === undefined ? undefined : handlerIn(pipeline, nodeId);
  const names = attributeNames(owner)
    .filter((name) => !written.includes(name) && isReadBy(type, attributeDefinition(owner, name)))
    .map((name) => suggestedName(owner, name));
  return [
    ...inputsOfChild(pipeline, nodeId, neighbours).filter(({ label }) => !written.includes(label)),
    ...names,
  ];
}

/** Inputs that the pipeline of a stage declares (§9.4). */
function inputsOfChild(
  pipeline: PipelineText,
  nodeId: string | undefined,
  neighbours: Neighbours,
): readonly Suggestion[] {
  const uri = childOf(nodeId, pipeline);
  const child = uri === undefined ? undefined : neighbours.pipeline(uri);
  const inputs = child === undefined ? undefined : declaredInputs(child.graph);
  return [...(inputs?.values() ?? [])].map((entry) => {
    const name = `${parameterPrefix}${entry.key}`;
    return {
      label: name,
      kind: 'attribute',
      insert: `${name}=`,
      info: `An input of ${uri}: ${describeKeyType(entry.type)}.`,
    };
  });
}

/** Type of the handler of a node; undefined for one that is not built in, and may read anything. */
function handlerIn({ graph, handlerTypes }: PipelineText, nodeId: string): string | undefined {
  const node = graph.nodes.get(nodeId);
  const type = node && handlerTypeOf(graph, node, handlerTypes).type;
  return type !== undefined && handlerTypeNamed(type) !== undefined ? type : undefined;
}

function isReadBy(type: string | undefined, definition: AttributeDefinition | undefined): boolean {
  const kinds: readonly BuiltInHandlerType[] | undefined = definition?.kinds;
  return type === undefined || kinds === undefined || kinds.some((kind) => kind === type);
}

/** Name of an attribute as a suggestion, with its meaning. */
export function suggestedName(owner: AttributeOwner, name: string): Suggestion {
  const definition = attributeDefinition(owner, name);
  return {
    label: name,
    kind: 'attribute',
    // The name of a parameter is up to the author.
    insert: name.endsWith('*') ? name.slice(0, -1) : `${name}=`,
    detail: definition && describeType(definition),
    info: definition && describeAttribute(definition),
  };
}

/** `duration, by default 5s` and the like. */
export function describeType({ type, default: value }: AttributeDefinition): string {
  return value === undefined || value === '' ? type : `${type}, by default ${value}`;
}

export function describeAttribute({ doc, values }: AttributeDefinition): string {
  return values === undefined ? doc : `${doc} One of: ${values.join(', ')}.`;
}
