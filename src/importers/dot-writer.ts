import type { Span } from '../diagnostic/source.js';
import type { JsonValue } from '../graph/json.js';
import { quote } from '../parser/dot/quote.js';
import { commentMark, type MigrationNote } from './importer.js';

/** Attributes to be written; a list or a map becomes its JSON. */
export type WrittenAttributes = ReadonlyMap<string, JsonValue>;

/** Writes a pipeline that is not an edited text, with its comments and the notes about them. */
export class DotWriter {
  readonly #lines: string[] = [];
  readonly #notes: MigrationNote[] = [];

  /** Notes something; what is lost or changed is also a comment before the next statement. */
  note(kind: MigrationNote['kind'], span: Span, message: string): void {
    if (this.#notes.some((note) => note.message === message && note.span.start === span.start)) return;
    this.#notes.push({ kind, span, message });
    if (kind !== 'rewritten') this.#lines.push(`// ${commentMark} ${message.replaceAll(/\s+/g, ' ')}`);
  }

  graph(attributes: WrittenAttributes): void {
    if (attributes.size > 0) this.#lines.push(`graph${block(attributes)}`);
  }

  nodeDefaults(attributes: WrittenAttributes): void {
    this.#lines.push(`node${block(attributes)}`);
  }

  node(id: string, attributes: WrittenAttributes): void {
    this.#lines.push(`${id}${block(attributes)}`);
  }

  edge(from: string, to: string, attributes: WrittenAttributes = new Map()): void {
    this.#lines.push(`${from} -> ${to}${block(attributes)}`);
  }

  emptyLine(): void {
    if (this.#lines.length > 0 && this.#lines.at(-1) !== '') this.#lines.push('');
  }

  finish(name: string, origin: string): { readonly text: string; readonly notes: readonly MigrationNote[] } {
    const body = this.#lines.map((line) => (line === '' ? '' : `    ${line}`)).join('\n');
    const text = `// ${commentMark} from ${origin}\ndigraph ${name} {\n${body}\n}\n`;
    return { text, notes: this.#notes.toSorted((one, other) => one.span.start - other.span.start) };
  }
}

function block(attributes: WrittenAttributes): string {
  if (attributes.size === 0) return '';
  const written = [...attributes].map(([name, value]) => `${key(name)}=${spell(value)}`);
  return ` [${written.join(', ')}]`;
}

function key(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : quote(name);
}

function spell(value: JsonValue): string {
  if (typeof value === 'number' || typeof value === 'boolean') return plainNumber(value);
  if (typeof value === 'string')
    return /^[A-Za-z_]\w*$/.test(value) && !reserved.has(value) ? value : quote(value);
  return quote(JSON.stringify(value));
}

function plainNumber(value: number | boolean): string {
  const text = String(value);
  return /^(?:true|false|-?\d+(?:\.\d+)?)$/.test(text) ? text : quote(text);
}

const reserved: ReadonlySet<string> = new Set([
  'true',
  'false',
  'graph',
  'node',
  'edge',
  'digraph',
  'subgraph',
  'strict',
]);

/** Ids of this language for names that another one allows, each unique. */
export class NodeIds {
  readonly #ids = new Map<string, string>();
  readonly #taken: Set<string>;

  /** @param taken ids that the migrated pipeline has for itself */
  constructor(taken: readonly string[]) {
    this.#taken = new Set(taken);
  }

  of(name: string): string {
    const known = this.#ids.get(name);
    if (known !== undefined) return known;
    const id = this.fresh(name);
    this.#ids.set(name, id);
    return id;
  }

  /** Id that nothing else has, as near to a text as possible. */
  fresh(text: string): string {
    const word = text.replaceAll(/\W/g, '_').replace(/^(?=\d)/, '_') || '_';
    const base = reserved.has(word.toLowerCase()) || misread.has(word.toLowerCase()) ? `${word}_` : word;
    for (let count = 1; ; count += 1) {
      const id = count === 1 ? base : `${base}_${count}`;
      if (this.#taken.has(id)) continue;
      this.#taken.add(id);
      return id;
    }
  }
}

/** Ids that make a start or an exit of a node without a shape (SEMANTICS 41). */
const misread: ReadonlySet<string> = new Set(['start', 'exit', 'end']);
