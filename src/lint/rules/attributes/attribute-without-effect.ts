import { excerpt } from '../../../diagnostic/excerpt.js';
import { attributeDefinition, graphAttribute } from '../../../graph/attributes.js';
import type { Attribute, Graph, Node } from '../../../graph/graph.js';
import { type BuiltInHandlerType, type HandlerType, handlerTypeNamed } from '../../../graph/handler-types.js';
import { handlerTypeOf } from '../../../graph/queries.js';
import { isOwnRule, mayHaveOwnRules } from '../../../graph/values/own-rules.js';
import { attributeOwners } from '../../attribute-owners.js';
import { handlersInDoubt } from '../../misspelt.js';
import type { Finding, LintContext, LintRule } from '../../rule.js';

/** Attributes that the kind of a node does not read, by the column `kinds` of the attribute table. */
export const attributeWithoutEffect: LintRule = {
  name: 'attribute_without_effect',
  severity: 'warning',
  summary: 'Every attribute of a node is one that its kind of stage reads.',
  rationale:
    'The `shape` or `type` of a node decides what kind of stage it is, and each kind has its own attributes: a tool has `tool_command`, an LLM stage has `prompt` and a model, a parallel node has `join_policy`. On another kind of stage the attribute does nothing: a `tool_command` on a box is never run, and the `prompt` of a diamond is never read. Correct the shape, or remove the attribute. `docs/handlers.md` lists what each kind reads. Attributes that act on the outcome of a stage (`assign.*`, `writes`, `fail_when`) are an error on a parallel node and on the exit: move them to the node where the branches meet. Defaults in a `node […]` block are not reported, and neither are attributes of plugin stages, whose handlers may read any attribute.',
  tag: 'unnecessary',
  *apply(graph, context) {
    for (const use of ignoredAttributes(graph, context)) yield finding(use);
    yield* remoteWithoutGit(graph);
  },
};

function* remoteWithoutGit(graph: Graph): Iterable<Finding> {
  const attribute = graph.attributes.get('git_remote');
  if (attribute === undefined || attribute.value === '' || graphAttribute(graph, 'git')) return;
  yield {
    message: '`git_remote` has no effect without `git=true`',
    span: { start: attribute.keySpan.start, end: attribute.valueSpan.end },
    fix: { title: 'add `git=true`, or remove it', edits: [] },
  };
}

/** All explicit uses of an attribute at nodes of one kind that does not read it. */
interface Ignored {
  readonly name: string;
  readonly handler: HandlerType;
  readonly kinds: readonly BuiltInHandlerType[];
  readonly places: { readonly node: Node; readonly attribute: Attribute }[];
}

/** `thread_id_needs_full` reports the thread of a stage without a session. */
const judgedElsewhere: ReadonlySet<string> = new Set(['thread_id']);

function ignoredAttributes(graph: Graph, { handlerTypes }: LintContext): Iterable<Ignored> {
  const { namesAtNodes, nodesWith } = attributeOwners(graph);
  const ignoredByKey = new Map<string, Ignored>();
  for (const name of namesAtNodes) {
    const kinds = attributeDefinition('node', name)?.kinds;
    if (kinds === undefined || judgedElsewhere.has(name)) continue;
    for (const node of nodesWith(name)) {
      const attribute = node.attributes.get(name);
      if (attribute?.origin !== 'explicit' || attribute.value === '') continue;
      const handler = handlerTypeOf(graph, node, handlerTypes);
      const isRead = kinds.some((kind) => kind === handler.type);
      if (isRead || handlerTypeNamed(handler.type) === undefined) continue;
      if (handlersInDoubt(graph, handlerTypes).has(node)) continue;
      const key = `${handler.type} ${name}`;
      const ignored = ignoredByKey.get(key) ?? { name, handler, kinds, places: [] };
      ignored.places.push({ node, attribute });
      ignoredByKey.set(key, ignored);
    }
  }
  return ignoredByKey.values();
}

const maximumRelated = 5;

function finding(ignored: Ignored): Finding {
  const { name, handler, kinds, places: uses } = ignored;
  const [{ node, attribute } = neverEmpty(), ...others] = uses;
  const count = others.length === 0 ? '' : ` (${uses.length} places)`;
  const readers = kinds.length > mostNamed ? '' : `: only ${readersText(kinds)} reads it`;
  return {
    // A run would go another way than the text says.
    severity: isOwnRule(name) && !mayHaveOwnRules(handler) ? 'error' : undefined,
    message: `\`${name}\` has no effect on ${excerpt(node.id)}, which is ${nounOf(handler.type)}${readers}${count}`,
    span: { start: attribute.keySpan.start, end: attribute.valueSpan.end },
    nodeId: node.id,
    related: others
      .slice(0, maximumRelated)
      .map((other) => ({ span: other.attribute.keySpan, message: `nor on ${excerpt(other.node.id)}` })),
    fix: { title: remedy(ignored, node), edits: [] },
  };
}

function neverEmpty(): never {
  throw new Error('an ignored attribute stands somewhere');
}

const mostNamed = 4;

function readersText(kinds: readonly BuiltInHandlerType[]): string {
  const nouns = kinds.map(nounOf);
  const last = nouns.pop() ?? '';
  return nouns.length === 0 ? last : `${nouns.join(', ')} or ${last}`;
}

/** `an LLM stage`, `a tool`, `the start`. */
function nounOf(type: string): string {
  const title = handlerTypeNamed(type)?.title ?? type;
  if (type === 'start' || type === 'exit') return `the ${type}`;
  const noun = /^[A-Z]{2}/.test(title) ? title : title.toLowerCase();
  return `${/^(?:[aeiou]|LLM)/.test(noun) ? 'an' : 'a'} ${noun}`;
}

function remedy({ name, handler, kinds }: Ignored, node: Node): string {
  const [kind] = kinds;
  if (handler.forks && isOwnRule(name)) return 'move it to the node where the branches meet';
  if (kind === undefined || kinds.length > mostNamed || handler.neverFails) return 'remove it';
  const shape = handlerTypeNamed(kind)?.shape;
  const choice = node.attributes.has('type') || shape === undefined ? `type="${kind}"` : `shape=${shape}`;
  return `remove it, or make the node ${nounOf(kind)}: \`${choice}\``;
}
