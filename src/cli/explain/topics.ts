import type { AttributeDefinition } from '../../graph/attribute-tables/attribute-definition.js';
import { type AttributeOwner, attributeDefinition, attributeNames } from '../../graph/attributes.js';
import { type HandlerType, handlerTypes } from '../../graph/handler-types.js';
import type { LintRule } from '../../lint/rule.js';
import { type RuleEntry, ruleCatalog } from '../../lint/rule-catalog.js';
import { type SyntaxCodeEntry, syntaxCodes } from '../../parser/dot/syntax-codes.js';

/** Something of the language or of the tools that has a name and can be explained. */
export type Topic =
  | { readonly kind: 'rule'; readonly name: string; readonly rule: RuleEntry }
  | { readonly kind: 'syntax_code'; readonly name: string; readonly entry: SyntaxCodeEntry }
  | { readonly kind: 'handler'; readonly name: string; readonly row: HandlerType }
  | {
      readonly kind: 'attribute';
      readonly name: string;
      readonly owner: AttributeOwner;
      readonly definition: AttributeDefinition;
    };

const owners: readonly AttributeOwner[] = ['graph', 'node', 'edge'];

/** Topics that plugins add. */
export interface TopicExtensions {
  readonly rules: readonly LintRule[];
  readonly handlers: readonly HandlerType[];
}

const noExtensions: TopicExtensions = { rules: [], handlers: [] };

/**
 * Topics of a name, which may have several: `timeout` is an attribute of graphs and of nodes. `syntax/port`
 * is a code of the parser, `hexagon` the handler that the shape selects, `node.timeout` one of several.
 */
export function topicsNamed(name: string, extensions: TopicExtensions = noExtensions): readonly Topic[] {
  const wanted = name.trim();
  return allTopics(extensions).filter((topic) => namesOf(topic).includes(wanted));
}

/** Every name of a topic, each once. */
export function topicNames(extensions: TopicExtensions = noExtensions): readonly string[] {
  return [...new Set(allTopics(extensions).flatMap(namesOf))];
}

/** Their names by kind, each once. */
export function topicIndex(
  extensions: TopicExtensions = noExtensions,
): ReadonlyMap<Topic['kind'], readonly string[]> {
  const index = new Map<Topic['kind'], Set<string>>();
  for (const { kind, name } of allTopics(extensions))
    index.set(kind, (index.get(kind) ?? new Set()).add(name));
  return new Map([...index].map(([kind, names]) => [kind, [...names].sort()]));
}

function allTopics({ rules, handlers }: TopicExtensions): readonly Topic[] {
  return [
    ...ruleCatalog(rules).map((rule): Topic => ({ kind: 'rule', name: rule.id, rule })),
    ...Object.entries<SyntaxCodeEntry>(syntaxCodes).map(
      ([name, entry]): Topic => ({ kind: 'syntax_code', name, entry }),
    ),
    ...[...handlerTypes, ...handlers].map((row): Topic => ({ kind: 'handler', name: row.type, row })),
    ...owners.flatMap((owner) => attributeNames(owner).flatMap((name) => attributeTopic(owner, name))),
  ];
}

function attributeTopic(owner: AttributeOwner, name: string): readonly Topic[] {
  const definition = attributeDefinition(owner, name);
  return definition === undefined ? [] : [{ kind: 'attribute', name, owner, definition }];
}

function namesOf(topic: Topic): readonly string[] {
  switch (topic.kind) {
    case 'rule':
      return [topic.name];
    case 'syntax_code':
      return [topic.name, `syntax/${topic.name}`];
    case 'handler':
      return topic.row.shape === undefined ? [topic.name] : [topic.name, topic.row.shape];
    case 'attribute':
      return [topic.name, `${topic.owner}.${topic.name}`];
  }
}
