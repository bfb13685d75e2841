import { nearestName } from '../diagnostic/did-you-mean.js';
import { otherNames } from '../graph/attribute-tables/other-names.js';
import { type AttributeOwner, attributeDefinition, attributeNames, familiesOf } from '../graph/attributes.js';
import { nameSuggester } from './name-suggester.js';

/** Guess about an attribute that its owner does not have. */
export type AttributeGuess =
  /** Another owner has it; `instead` is the name that this one has for something similar, if any. */
  | { readonly kind: 'elsewhere'; readonly owner: AttributeOwner; readonly instead?: string }
  /** `isSlip` if nothing else can have been meant. */
  | { readonly kind: 'meant'; readonly name: string; readonly isSlip: boolean }
  /** Another tool has it; `instead` is the attribute that comes nearest, perhaps of another owner. */
  | { readonly kind: 'foreign'; readonly instead: string; readonly advice: string }
  | { readonly kind: 'unknown' };

/** Guesses for one kind of owner (SEMANTICS 43f). */
export function attributeGuesser(owner: AttributeOwner): (name: string) => AttributeGuess {
  const names = attributeNames(owner).filter((name) => !name.endsWith('*'));
  const bySpelling = new Map(names.map((name) => [spelling(name), name]));
  const nearest = nameSuggester(names, tolerance);
  const oneLetterOff = nameSuggester(names, 0);
  return (name) => {
    const instead = otherNames[owner].get(name);
    const other = owners.find((candidate) => attributeDefinition(candidate, name) !== undefined);
    if (other !== undefined) {
      return { kind: 'elsewhere', owner: other, instead };
    }
    if (instead !== undefined) return { kind: 'meant', name: instead, isSlip: false };
    const foreignName = foreignNames[owner].get(name);
    if (foreignName !== undefined) return { kind: 'foreign', ...foreignName };
    const completed = nameInFamily(owner, name);
    if (completed !== undefined) return { kind: 'meant', name: completed, isSlip: false };
    const sameSpelling = bySpelling.get(spelling(name));
    if (sameSpelling !== undefined) return { kind: 'meant', name: sameSpelling, isSlip: true };
    const tail = name.length > 5 ? names.find((candidate) => candidate.endsWith(`.${name}`)) : undefined;
    if (tail !== undefined) return { kind: 'meant', name: tail, isSlip: false };
    const closest = nearest(name);
    if (closest === undefined) return { kind: 'unknown' };
    return { kind: 'meant', name: closest, isSlip: name.length > 5 && oneLetterOff(name) === closest };
  };
}

/** `assign.plan` for `asign.plan`: names that authors complete, after a misspelt prefix. */
export function nameInFamily(owner: AttributeOwner, name: string): string | undefined {
  const dot = name.indexOf('.');
  if (dot <= 0 || dot === name.length - 1) return undefined;
  const family = nearestName(name.slice(0, dot + 1), familiesOf(owner), familyTolerance);
  return family === undefined ? undefined : family + name.slice(dot + 1);
}

/** One wrong letter in five: authors have namespaces of their own. */
const familyTolerance = 0.2;

/** Attribute of this language that a guess comes to; undefined if there is none at this owner. */
export function nameMeant(guess: AttributeGuess): string | undefined {
  switch (guess.kind) {
    case 'elsewhere':
    case 'foreign':
      return guess.instead;
    case 'meant':
      return guess.name;
    case 'unknown':
      return undefined;
  }
}

const owners = ['node', 'edge', 'graph'] as const;

/** One wrong letter in four: a guess is a warning, and authors have attributes of their own. */
const tolerance = 0.25;

/** Spelling for comparisons: `maxRetries`, `max-retries` and `MAX_RETRIES` are the same word. */
function spelling(name: string): string {
  return name.toLowerCase().replaceAll(/[-_. ]/g, '');
}

/** Attributes of other tools that no attribute here replaces as it stands. */
const foreignNames: Readonly<
  Record<AttributeOwner, ReadonlyMap<string, { readonly instead: string; readonly advice: string }>>
> = {
  graph: new Map([
    ['max_node_visits', { instead: 'max_visits', advice: 'write `node [max_visits=…]` before the nodes' }],
    [
      'stall_timeout',
      {
        instead: 'timeout',
        advice: 'set `timeout` on the graph for the whole run, or `node [timeout="15m"]` for each attempt',
      },
    ],
  ]),
  node: new Map([
    ['outputs', { instead: 'writes', advice: 'name context keys in `writes`; files need no declaration' }],
  ]),
  edge: new Map(),
};
