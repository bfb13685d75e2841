import { quote } from '../../parser/dot/quote.js';
import { decodeString } from '../../parser/dot/string.js';
import { unquoteHereDocuments } from '../here-documents.js';
import type { DotDialect, RuleNote, TextPlace, TextRule } from './dot-dialect.js';

/** Attributes with texts into which values are filled. */
const templates: ReadonlySet<string> = new Set(['prompt', 'label', 'tool_command', 'workdir', 'foreach']);
const conditions: ReadonlySet<string> = new Set([
  'condition',
  'manager.stop_condition',
  'fail_when',
  'retry_when',
]);
const others: ReadonlySet<string> = new Set(['model_stylesheet', 'goal', 'system_prompt']);

interface RewrittenText {
  readonly text: string;
  readonly notes: readonly RuleNote[];
}

/** Rewrites a value as written, by the rules for its attribute. */
export function rewriteText(raw: string, where: TextPlace, dialect: DotDialect): RewrittenText {
  const { attribute, nodeId } = where;
  if (attribute === 'label' && nodeId === undefined) return { text: raw, notes: [] };
  if (conditions.has(attribute)) return applyRules(raw, where, dialect.conditions, 'condition');
  const isTemplate =
    templates.has(attribute) || others.has(attribute) || /^(?:params|assign)\./.test(attribute);
  return isTemplate ? applyRules(raw, where, dialect.texts, 'text') : { text: raw, notes: [] };
}

function applyRules(raw: string, where: TextPlace, rules: readonly TextRule[], what: string): RewrittenText {
  const notes: RuleNote[] = [];
  let text = raw;
  for (const { pattern, replace } of rules) {
    text = text.replaceAll(pattern, (whole: string, ...rest: readonly unknown[]) => {
      const made = replace([whole, ...groupsOf(rest)], where);
      if (typeof made === 'object') notes.push(made);
      return typeof made === 'string' ? made : whole;
    });
  }
  if (text !== raw && where.attribute === 'tool_command') text = withValuesInDocuments(text);
  if (text !== raw && notes.every(({ kind }) => kind !== 'rewritten'))
    notes.push({ kind: 'rewritten', message: `the ${what} of ${where.attribute} is rewritten` });
  return { text, notes: distinct(notes) };
}

/** Quoted command whose here-documents take values. */
function withValuesInDocuments(raw: string): string {
  if (!raw.startsWith('"')) return raw;
  const { text } = decodeString(raw.slice(1, -1));
  const made = unquoteHereDocuments(text);
  if (made === text) return raw;
  return raw.includes('\n') ? quote(made) : quote(made).replaceAll('\n', '\\n');
}

/** Groups of a match, of the arguments that `replaceAll` gives: the offset follows them. */
function groupsOf(rest: readonly unknown[]): readonly string[] {
  const count = rest.findIndex((one) => typeof one === 'number');
  return rest.slice(0, count).map((one) => (typeof one === 'string' ? one : ''));
}

function distinct(notes: readonly RuleNote[]): readonly RuleNote[] {
  return [...new Map(notes.map((note) => [note.message, note])).values()];
}
