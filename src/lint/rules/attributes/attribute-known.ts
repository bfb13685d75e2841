import { excerpt } from '../../../diagnostic/excerpt.js';
import { type AttributeOwner, attributeDefinition } from '../../../graph/attributes.js';
import type { Attribute, Edge, Graph, Node } from '../../../graph/graph.js';
import { isGraphvizAttribute } from '../../../graph/graphviz/graphviz-attributes.js';
import { handlerTypeNamed } from '../../../graph/handler-types.js';
import { type AttributeGuess, attributeGuesser, nameInFamily } from '../../attribute-guess.js';
import { attributeOwners } from '../../attribute-owners.js';
import type { Finding, LintContext, LintRule } from '../../rule.js';

/** SEMANTICS 43f: what the language does not know has no effect; a name of Graphviz's only changes the drawing. */
export const attributeKnown: LintRule = {
  name: 'attribute_known',
  severity: 'warning',
  fixable: true,
  summary: 'Every attribute is known for its graph, node or edge.',
  rationale:
    'An unknown attribute has no effect, so a misspelt `max_vists` sets no limit. The same holds for an attribute in the wrong place, such as a `condition` on a node. Correct the name, or move the attribute. Not reported: attributes of Graphviz (`color`, `rankdir`, …), your own names with a dot (`team.owner`), unknown attributes at the top level (`${graph.name}` reads them), and attributes of nodes whose handler type comes from a plugin. `docs/attributes.md` lists all known attributes.',
  *apply(graph, context) {
    for (const owner of owners) {
      for (const use of unknownAttributes(graph, owner, context)) yield finding(owner, use, context);
    }
  },
};

const owners = ['graph', 'node', 'edge'] as const;

/**
 * All uses of one name that one kind of owner does not have: it is reported once, however often it is
 * written.
 */
interface UnknownName {
  readonly name: string;
  readonly guess: AttributeGuess;
  readonly places: Map<Attribute, UnknownUse>;
}

interface UnknownUse {
  readonly owner: Graph | Node | Edge;
  /** True if an owner also has the suggested attribute. */
  hasMeant: boolean;
}

function unknownAttributes(graph: Graph, kind: AttributeOwner, context: LintContext): Iterable<UnknownName> {
  const guess = attributeGuesser(kind);
  return namesOf(graph, kind).flatMap((name) => {
    if (isLetBe(kind, name)) return [];
    const guessed = guess(name);
    if (kind === 'graph' && isData(name, guessed, context)) return [];
    const unknown: UnknownName = { name, guess: guessed, places: new Map() };
    for (const owner of ownersOf(graph, kind, name)) {
      const attribute = owner.attributes.get(name);
      if (attribute === undefined || !isAuthors(attribute) || mayReadAnything(owner, context)) continue;
      addPlace(unknown, attribute, owner);
    }
    return unknown.places.size === 0 ? [] : [unknown];
  });
}

function namesOf(graph: Graph, kind: AttributeOwner): readonly string[] {
  if (kind === 'graph') return [...graph.attributes.keys()];
  const { namesAtNodes, namesAtEdges } = attributeOwners(graph);
  return kind === 'node' ? namesAtNodes : namesAtEdges;
}

function ownersOf(graph: Graph, kind: AttributeOwner, name: string): readonly (Graph | Node | Edge)[] {
  if (kind === 'graph') return [graph];
  const { nodesWith, edgesWith } = attributeOwners(graph);
  return kind === 'node' ? nodesWith(name) : edgesWith(name);
}

/**
 * True for names that are ignored: Graphviz has `class` everywhere, and names with a dot that are not of
 * the language are the author's own.
 */
function isLetBe(owner: AttributeOwner, name: string): boolean {
  if (attributeDefinition(owner, name) !== undefined || isGraphvizAttribute(name)) return true;
  if (nameInFamily(owner, name) !== undefined) return false;
  if (name === 'class' || (owner === 'node' && joinAliases.has(name))) return true;
  const dot = name.indexOf('.');
  return dot !== -1 && !prefixes.has(name.slice(0, dot));
}

/** Other spellings of a parallel node's parameters (SEMANTICS 49). */
const joinAliases: ReadonlySet<string> = new Set(['k', 'min_success', 'quorum_fraction']);

/** Prefixes of the language's own names. */
const prefixes: ReadonlySet<string> = new Set(['human', 'limits', 'manager', 'stack', 'tool_hooks']);

/**
 * True for an attribute that may be data: every attribute of the graph is in the context of a run
 * (SEMANTICS 72), so one that resembles no known name is probably a value.
 */
function isData(name: string, guess: AttributeGuess, { source }: LintContext): boolean {
  return guess.kind === 'unknown' || source.text.includes(`graph.${name}`);
}

function isAuthors({ origin }: Attribute): boolean {
  return origin === 'explicit' || origin === 'default';
}

/** True for a custom handler, which may read any attribute of its node (§4.12). */
function mayReadAnything(owner: Graph | Node | Edge, { handlerTypes }: LintContext): boolean {
  if (!('classes' in owner)) return false;
  const type = String(owner.attributes.get('type')?.value ?? '');
  return handlerTypes.has(type) && handlerTypeNamed(type) === undefined;
}

function addPlace(
  { guess, places: uses }: UnknownName,
  attribute: Attribute,
  owner: Graph | Node | Edge,
): void {
  const hasMeant = guess.kind === 'meant' && owner.attributes.has(guess.name);
  const existing = uses.get(attribute);
  if (existing === undefined) uses.set(attribute, { owner, hasMeant });
  else existing.hasMeant ||= hasMeant;
}

const maximumRelated = 5;

function finding(kind: AttributeOwner, unknown: UnknownName, context: LintContext): Finding {
  const [[attribute, { owner }] = neverEmpty(), ...others] = unknown.places;
  const listed = others.slice(0, maximumRelated);
  return {
    severity: unknown.guess.kind === 'unknown' ? 'info' : undefined,
    message: `${describe(kind, unknown)}${others.length === 0 ? '' : ` (${others.length + 1} places)`}`,
    span: attribute.keySpan,
    ...placeOf(owner),
    related: listed.map(([{ keySpan }]) => ({ span: keySpan, message: 'here too' })),
    fix: { title: titleOf(unknown), edits: editsOf(unknown, context) },
  };
}

function neverEmpty(): never {
  throw new Error('an unknown attribute stands somewhere');
}

function describe(kind: AttributeOwner, { name, guess }: UnknownName): string {
  const ownerNoun = nouns[kind];
  switch (guess.kind) {
    case 'elsewhere': {
      const instead = guess.instead === undefined ? '' : `; here it is \`${guess.instead}\``;
      return `${excerpt(name)} is an attribute of ${nouns[guess.owner]}, not of ${ownerNoun}, so it has no effect${instead}`;
    }
    case 'meant':
      return `${excerpt(name)} is not an attribute of ${ownerNoun}, so it has no effect (did you mean ${excerpt(guess.name)}?)`;
    case 'foreign':
    case 'unknown':
      return `${excerpt(name)} is not an attribute of ${ownerNoun}, so it has no effect`;
  }
}

const nouns = { graph: 'the graph', node: 'a node', edge: 'an edge' } as const;

function titleOf({ guess }: UnknownName): string {
  switch (guess.kind) {
    case 'elsewhere':
      return guess.instead === undefined
        ? `move it to ${nouns[guess.owner]}, or remove it`
        : `write \`${guess.instead}\``;
    case 'meant':
      return `write \`${guess.name}\``;
    case 'foreign':
      return guess.advice;
    case 'unknown':
      return 'remove it, or use one from docs/attributes.md';
  }
}

/** Edits that correct an obvious slip, unless the right attribute is present too. */
function editsOf({ guess, places: uses }: UnknownName, { source }: LintContext) {
  if (guess.kind !== 'meant' || !guess.isSlip) return [];
  return [...uses].flatMap(([{ keySpan }, { hasMeant }]) => {
    if (hasMeant) return [];
    const isQuoted = source.text[keySpan.start] === '"' || guess.name.includes('.');
    return [{ span: keySpan, text: isQuoted ? `"${guess.name}"` : guess.name }];
  });
}

function placeOf(owner: Graph | Node | Edge): Pick<Finding, 'nodeId' | 'edge'> {
  if ('classes' in owner) return { nodeId: owner.id };
  return 'from' in owner ? { edge: [owner.from, owner.to] } : {};
}
