import type { Span } from '../../../diagnostic/source.js';
import { parseCondition } from '../../../parser/condition/parse.js';
import { mapSpan } from '../../../parser/dot/value-places.js';
import { parseKeyList } from '../../../parser/key-list/parse.js';
import { eventsOf } from '../../../parser/property/events-of.js';
import { parseProperty } from '../../../parser/property/parse.js';
import { tokenizeStylesheet } from '../../../parser/stylesheet/parse.js';
import { ClassName, NodeId } from '../../../parser/stylesheet/tokens.js';
import { parseTemplate } from '../../../parser/template/parse.js';
import { parseShellTemplate } from '../../../parser/template/parse-shell.js';
import { type AttributeInText, placeWords } from './attributes-in.js';
import { keysInCondition } from './condition-operands.js';
import type { Mention, MentionRole, NamedKind, NamedThing } from './named-thing.js';
import type { PipelineText } from './pipeline-text.js';
import { thingOfPath } from './thing-of-path.js';
import { languageOf, type ValueLanguage } from './value-language.js';

/** Mention within a value; spans count from the start of its text. */
type InValue = Pick<Mention, 'thing' | 'span' | 'role' | 'isDerived'>;

/** Places of a value that name something, through whatever language it is written in. */
export function mentionsInValue(one: AttributeInText, pipeline: PipelineText): readonly Mention[] {
  const { attribute, owner, nodeId } = one;
  if (owner === 'subgraph') return [];
  const { key, value } = attribute;
  const language = languageOf(owner, key.name);
  const inside = mentionsInText(value.text, language, { pipeline, name: key.name, nodeId });
  return inside.map((mention) => ({
    ...mention,
    span: mapSpan(pipeline.source, value.span, mention.span),
    nodeId,
    place: placeWords(one),
  }));
}

interface ValuePlace {
  readonly pipeline: PipelineText;
  /** Name of the attribute. */
  readonly name: string;
  readonly nodeId?: string | undefined;
}

function mentionsInText(text: string, language: ValueLanguage, place: ValuePlace): readonly InValue[] {
  const { pipeline, name } = place;
  switch (language) {
    case 'condition':
      return inCondition(text, pipeline);
    case 'template':
      return mentionsInTemplate(text, pipeline);
    case 'shell':
      return inShell(text, pipeline);
    case 'key_list':
      return inKeyList(text, name, pipeline);
    case 'stylesheet':
      return inStylesheet(text, pipeline);
    case 'property':
      return inProperty(text, pipeline);
    case 'classes':
      return wordsBetweenCommas(text).map((word) => named('class', word, pipeline, 'declaration'));
    case 'node':
      return wordsBetweenCommas(text, true).map((word) => named('node', word, pipeline, 'reference'));
    case 'choice':
      return pipeline.graph.nodes.has(text.trim())
        ? wordsBetweenCommas(text, true).map((word) => named('node', word, pipeline, 'reference'))
        : [];
    case 'key':
      return wordsBetweenCommas(text, true).map((word) => named('key', word, pipeline, 'write'));
    case 'file':
      return wordsBetweenCommas(text, true).map((word) => fileMention(word, pipeline));
    case 'model':
    case 'plain':
      return [];
  }
}

interface Word extends Span {
  readonly text: string;
}

/** Words between commas, without the blanks around them; with `isWhole`, the whole text is one. */
function wordsBetweenCommas(text: string, isWhole = false): readonly Word[] {
  const words: Word[] = [];
  const pattern = isWhole ? /\S(?:[\s\S]*\S)?/g : /[^\s,](?:[^,]*[^\s,])?/g;
  for (const { 0: word, index } of text.matchAll(pattern))
    words.push({ text: word, start: index, end: index + word.length });
  return words;
}

function named(
  kind: NamedKind,
  { text: name, start, end }: Word,
  { uri: owner }: PipelineText,
  role: MentionRole,
): InValue {
  return { thing: { kind, name, owner }, span: { start, end }, role };
}

function fileMention({ text, start, end }: Word, { uri: owner, resolve }: PipelineText): InValue {
  const thing: NamedThing = { kind: 'file', name: resolve(text), owner };
  return { thing, span: { start, end }, role: 'reference', isDerived: true };
}

/** Mention of what a path names, which begins at an offset. */
function ofPath(path: string, start: number, pipeline: PipelineText): InValue {
  const { thing, span } = thingOfPath(path, pipeline);
  const role = thing.kind === 'node' ? 'reference' : 'read';
  return { thing, span: { start: start + span.start, end: start + span.end }, role };
}

function inCondition(text: string, pipeline: PipelineText): readonly InValue[] {
  const { condition } = parseCondition(text);
  if (condition === undefined) return [];
  return keysInCondition(condition).map(({ path, span }) => ofPath(path, span.start, pipeline));
}

/** Values in a text: `${path}`. */
export function mentionsInTemplate(text: string, pipeline: PipelineText): readonly InValue[] {
  if (!text.includes('$')) return [];
  return parseTemplate(text).parts.flatMap((part) =>
    part.kind === 'value' ? [ofPath(part.path, part.span.start + 2, pipeline)] : [],
  );
}

function inShell(text: string, pipeline: PipelineText): readonly InValue[] {
  if (!text.includes('$')) return [];
  return parseShellTemplate(text).parts.flatMap((part) =>
    part.kind === 'value' || part.kind === 'refused'
      ? [ofPath(part.path, part.span.start + 2, pipeline)]
      : [],
  );
}

function inKeyList(text: string, attribute: string, pipeline: PipelineText): readonly InValue[] {
  return parseKeyList(text).keys.map(({ key, keySpan: { end } }): InValue => {
    const span = { start: end - key.length, end };
    if (attribute === 'inputs')
      return { thing: { kind: 'input', name: key, owner: pipeline.uri }, span, role: 'declaration' };
    if (attribute === 'writes')
      return { thing: { kind: 'key', name: key, owner: pipeline.uri }, span, role: 'write' };
    return ofPath(key, span.start, pipeline);
  });
}

function inStylesheet(text: string, pipeline: PipelineText): readonly InValue[] {
  return tokenizeStylesheet(text).flatMap(({ tokenType, image, startOffset }): readonly InValue[] => {
    const kind = tokenType === NodeId ? 'node' : tokenType === ClassName ? 'class' : undefined;
    if (kind === undefined) return [];
    const word = { text: image.slice(1), start: startOffset + 1, end: startOffset + image.length };
    return [named(kind, word, pipeline, 'reference')];
  });
}

/** Stages and classes that a property names; a name may be in quotes of its own. */
function inProperty(text: string, pipeline: PipelineText): readonly InValue[] {
  const { property } = parseProperty(text);
  if (property === undefined) return [];
  return eventsOf(property).flatMap(({ stages }): readonly InValue[] => {
    const [kind, name] =
      stages.kind === 'named' ? (['node', stages.name] as const) : (['class', stages.ofClass] as const);
    if (name === undefined) return [];
    const start = name.span.start + (text[name.span.start] === '"' ? 1 : 0);
    const word = { text: name.text, start, end: start + name.text.length };
    return [named(kind, word, pipeline, 'reference')];
  });
}
