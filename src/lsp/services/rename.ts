import type { Span } from '../../diagnostic/source.js';
import { isKey } from '../../graph/values/key-lists.js';
import { reservedAs } from '../../graph/values/written-keys.js';
import { isKeyPath } from '../../parser/condition/words.js';
import { isSound } from '../../parser/dot/identifier.js';
import { tokenize } from '../../parser/dot/tokenize.js';
import { placesOf } from './references.js';
import type { FileEdit } from './text/file-edit.js';
import { mentionAt } from './text/mention-at.js';
import { mentionsIn } from './text/mentions.js';
import type { Mention, NamedKind } from './text/named-thing.js';
import type { Neighbours, PipelineText } from './text/pipeline-text.js';

/** Name at an offset that can be changed, or the reason why not. */
export type Renamable =
  | { readonly kind: 'name'; readonly span: Span; readonly name: string }
  | { readonly kind: 'refused'; readonly problem: string };

/** Name at an offset, for an editor that asks before it renames; undefined where nothing has a name. */
export function renamableAt(
  pipeline: PipelineText,
  offset: number,
  neighbours: Neighbours,
): Renamable | undefined {
  const mention = mentionAt(pipeline, offset);
  if (mention === undefined) return undefined;
  const problem = problemOf(mention, pipeline, neighbours);
  return problem === undefined
    ? { kind: 'name', span: mention.span, name: mention.thing.name }
    : { kind: 'refused', problem };
}

export type Renaming =
  | { readonly kind: 'edits'; readonly edits: readonly FileEdit[] }
  | { readonly kind: 'refused'; readonly problem: string };

/** Edits that give the thing at an offset another name, wherever it is named. */
export function renameAt(
  pipeline: PipelineText,
  offset: number,
  to: string,
  neighbours: Neighbours,
): Renaming {
  const mention = mentionAt(pipeline, offset);
  if (mention === undefined)
    return { kind: 'refused', problem: 'nothing here has a name that can be changed' };
  const problem =
    problemOf(mention, pipeline, neighbours) ?? problemOfName(to, mention, pipeline, neighbours);
  if (problem !== undefined) return { kind: 'refused', problem };
  const edits = placesOf(mention.thing, pipeline, neighbours).map(
    ({ uri, mention: { span } }): FileEdit => ({ uri, span, text: to }),
  );
  return { kind: 'edits', edits };
}

function problemOf(mention: Mention, pipeline: PipelineText, neighbours: Neighbours): string | undefined {
  const { kind, name, owner } = mention.thing;
  switch (kind) {
    case 'engine_key':
      return `"${name}" is set by the engine, so its name is fixed`;
    case 'graph_attribute':
      return `"${name}" is an attribute of the language, so its name is fixed`;
    case 'file':
      return 'rename the file itself, and then its path here';
    default:
  }
  const derived = placesOf(mention.thing, pipeline, neighbours).find(
    ({ mention: { isDerived } }) => isDerived,
  );
  if (derived !== undefined) {
    return kind === 'class'
      ? `the class "${name}" comes from the label of a subgraph; change the label instead`
      : `"${name}" is spelled differently in the text; fix the spelling first`;
  }
  return owner === pipeline.uri || neighbours.pipeline(owner) !== undefined
    ? undefined
    : 'the pipeline with this input cannot be read';
}

function problemOfName(
  to: string,
  { thing }: Mention,
  pipeline: PipelineText,
  neighbours: Neighbours,
): string | undefined {
  const form = formProblem(to, thing.kind);
  if (form !== undefined || to === thing.name) return form;
  const own = thing.owner === pipeline.uri ? pipeline : neighbours.pipeline(thing.owner);
  const isTaken =
    own !== undefined &&
    mentionsIn(own).some(
      ({ thing: other, role }) => other.kind === thing.kind && other.name === to && role !== 'read',
    );
  return isTaken ? `${words[thing.kind]} "${to}" already exists` : undefined;
}

const words: Readonly<Record<NamedKind, string>> = {
  node: 'a node',
  key: 'a key',
  input: 'an input',
  class: 'a class',
  graph_attribute: 'an attribute',
  engine_key: 'a key',
  file: 'a file',
};

/** Reason why a text cannot be the name of such a thing. */
function formProblem(to: string, kind: NamedKind): string | undefined {
  switch (kind) {
    case 'node':
      return isNodeId(to)
        ? undefined
        : `"${to}" cannot be the id of a node: expected letters, digits and underscores, no digit first, and no keyword`;
    case 'class':
      return /^[a-z0-9-]+$/.test(to)
        ? undefined
        : `"${to}" cannot be a class: expected the characters a-z, 0-9 and "-"`;
    case 'key':
      if (reservedAs(to) !== undefined) return `"${to}" is a key of the engine; choose another one`;
      return isKey(to) && isKeyPath(to)
        ? undefined
        : `"${to}" cannot be a key: expected a path such as plan or review.score`;
    default:
      return isKey(to) && isKeyPath(to)
        ? undefined
        : `"${to}" cannot be an input: expected a name such as files`;
  }
}

function isNodeId(text: string): boolean {
  const [token, ...others] = tokenize(text).tokens;
  return token !== undefined && others.length === 0 && token.image === text && isSound(token);
}
