import { editSet } from '../../diagnostic/edit-set.js';
import type { Span } from '../../diagnostic/source.js';
import type { Edge } from '../../graph/graph.js';
import type {
  AttributeNode,
  DotGraph,
  EdgeStatement,
  NodeStatement,
  Statement,
} from '../../parser/dot/ast.js';
import { commentMark, type MigrationNote } from '../importer.js';
import { addedAtEnd, splitChain } from './added-attributes.js';
import type { RuleNote } from './dot-dialect.js';
import { removedSpans } from './removed-attributes.js';

/** Text of a pipeline that is being migrated: its edits, its comments, and the notes about both. */
export class MigratedText {
  readonly source: string;
  readonly tree: DotGraph;
  readonly #edits: ReturnType<typeof editSet>;
  readonly #notes: MigrationNote[] = [];
  /** Comments by the offset before which they stand, each once. */
  readonly #comments = new Map<number, Set<string>>();
  readonly #prologue: string[] = [];
  readonly #epilogue: string[] = [];
  /** Attributes to be added to statements of nodes, by the id. */
  readonly #added = new Map<string, string[]>();
  /** Attributes to be added to edges, by the offset of the id that the edge leads to. */
  readonly #addedToEdges = new Map<number, string[]>();
  readonly #gone = new Map<Statement, Set<AttributeNode>>();
  readonly #dropped = new Set<Statement>();
  #isChanged = false;

  constructor(source: string, tree: DotGraph) {
    this.source = source;
    this.tree = tree;
    this.#edits = editSet(source);
  }

  /** Replaces a part of the text. */
  replace(span: Span, text: string): void {
    if (this.#edits.add([{ span, text }], `replace ${span.start}`)) this.#isChanged = true;
  }

  note(note: MigrationNote): void {
    this.#notes.push(note);
  }

  /** Adds a note about a statement, and for what is lost or changed a comment before it. */
  noteAt(statement: Span, span: Span, note: RuleNote): void {
    this.note({ ...note, span });
    if (note.kind === 'rewritten' || this.#isSaid(note.message)) return;
    const comments = this.#comments.get(statement.start);
    if (comments === undefined) this.#comments.set(statement.start, new Set([note.message]));
    else comments.add(note.message);
  }

  /** True for a comment that an earlier migration has left. */
  #isSaid(message: string): boolean {
    return this.source.includes(`${commentMark} ${oneLine(message)}`);
  }

  /** Statement for the beginning of the pipeline, written once. */
  prologue(statement: string): void {
    if (!this.#prologue.includes(statement)) this.#prologue.push(statement);
  }

  /** Statement for its end. */
  epilogue(statement: string): void {
    if (!this.#epilogue.includes(statement)) this.#epilogue.push(statement);
  }

  /** Sets an attribute of a node that does not have it. */
  addToNode(nodeId: string, attribute: string): void {
    addOnce(this.#added, nodeId, attribute);
  }

  /** Sets an attribute of one edge, which does not have it; a chain around it is split. */
  addToEdge({ toSpan }: Edge, attribute: string): void {
    addOnce(this.#addedToEdges, toSpan.start, attribute);
  }

  remove(statement: Statement, attribute: AttributeNode): void {
    const gone = this.#gone.get(statement);
    if (gone === undefined) this.#gone.set(statement, new Set([attribute]));
    else gone.add(attribute);
  }

  /** Removes the statements that declare a node. */
  dropNode(nodeId: string, message: string): void {
    for (const statement of statementsOf(this.tree.statements)) {
      if (statement.kind !== 'node' || statement.id.name !== nodeId) continue;
      this.#dropped.add(statement);
      this.note({ kind: 'changed', span: statement.id.span, message });
      const isLastInLine = /^[^\S\n]*(?:\n|$)/.test(this.source.slice(statement.span.end));
      const comment = `${commentMark} ${oneLine(message)}`;
      this.replace(statement.span, isLastInLine ? `// ${comment}` : `/* ${comment} */`);
    }
  }

  isDropped(statement: Statement): boolean {
    return this.#dropped.has(statement);
  }

  notes(): readonly MigrationNote[] {
    return this.#notes.toSorted((one, other) => one.span.start - other.span.start);
  }

  /**
   * The migrated text, which is the source if nothing was to be changed.
   * @param title name of the dialect, for the first line
   */
  finish(title: string): string {
    this.#placeAdded();
    this.#placeRemoved();
    const prologue = this.#prologue;
    const epilogue = this.#epilogue;
    if (!this.#isChanged && prologue.length + epilogue.length + this.#comments.size === 0) return this.source;
    for (const [offset, comments] of this.#comments) this.#placeComments(offset, [...comments]);
    const indent = this.#indentOfBody();
    const { end } = this.tree.name.span;
    const opening = this.source.indexOf('{', end) + 1;
    if (prologue.length > 0)
      this.#edits.add([at(opening, prologue.map((one) => `\n${indent}${one}`).join(''))], 'prologue');
    const closing = this.source.lastIndexOf('}', this.tree.span.end);
    if (epilogue.length > 0)
      this.#edits.add([at(closing, epilogue.map((one) => `${indent}${one}\n`).join(''))], 'epilogue');
    const origin = `from ${title}`;
    if (!this.#comments.has(this.tree.span.start) && !this.#isSaid(origin))
      this.#placeComments(this.tree.span.start, [origin]);
    return this.#edits.apply();
  }

  #placeComments(offset: number, messages: readonly string[]): void {
    const lineStart = this.source.lastIndexOf('\n', offset - 1) + 1;
    const before = this.source.slice(lineStart, offset);
    const text =
      before.trim() === ''
        ? messages.map((message) => `// ${commentMark} ${oneLine(message)}\n${before}`).join('')
        : messages.map((message) => `/* ${commentMark} ${oneLine(message)} */ `).join('');
    this.#edits.add([at(offset, text)], `comment ${offset}`);
  }

  #placeRemoved(): void {
    for (const [statement, gone] of this.#gone) {
      for (const span of removedSpans(this.source, statement, attributesOf(statement), gone))
        this.replace(span, '');
    }
  }

  #placeAdded(): void {
    for (const statement of statementsOf(this.tree.statements)) {
      if (statement.kind !== 'node' && statement.kind !== 'edge') continue;
      const gone = this.#gone.get(statement);
      const left = statement.attributes.filter((attribute) => gone?.has(attribute) !== true);
      if (statement.kind === 'edge') this.#splitChain(statement, left);
      const added = this.#takeAdded(statement);
      if (added === undefined) continue;
      const { span, text } = addedAtEnd(this.source, statement, left, added);
      this.replace(span, text);
    }
    for (const [id, added] of this.#added) this.prologue(`${id} [${added.join(', ')}]`);
  }

  #splitChain(statement: EdgeStatement, left: readonly AttributeNode[]): void {
    const textOf = (span: Span) => this.#edits.textOf(span);
    for (const { span, text } of splitChain(statement, left, this.#addedToEdges, textOf))
      this.replace(span, text);
  }

  /** Attributes for the end of a statement; those of a node go to the first one about it. */
  #takeAdded(statement: NodeStatement | EdgeStatement): readonly string[] | undefined {
    if (statement.kind === 'edge') return this.#addedToEdges.get(statement.chain.at(-1)?.span.start ?? -1);
    const added = this.#added.get(statement.id.name);
    this.#added.delete(statement.id.name);
    return added;
  }

  #indentOfBody(): string {
    const [first] = this.tree.statements;
    if (first === undefined) return '    ';
    const lineStart = this.source.lastIndexOf('\n', first.span.start - 1) + 1;
    const before = this.source.slice(lineStart, first.span.start);
    return before.trim() === '' ? before : '    ';
  }
}

function addOnce<Key>(all: Map<Key, string[]>, key: Key, attribute: string): void {
  const added = all.get(key);
  if (added === undefined) all.set(key, [attribute]);
  else if (!added.includes(attribute)) added.push(attribute);
}

function at(offset: number, text: string) {
  return { span: { start: offset, end: offset }, text };
}

function oneLine(message: string): string {
  return message.replaceAll(/\s+/g, ' ').replaceAll('*/', '* /');
}

/** All statements, those of subgraphs included. */
export function* statementsOf(statements: readonly Statement[]): Iterable<Statement> {
  for (const statement of statements) {
    yield statement;
    if (statement.kind === 'subgraph') yield* statementsOf(statement.statements);
  }
}

/** Attributes of a statement in the order of the text. */
export function attributesOf(statement: Statement): readonly AttributeNode[] {
  switch (statement.kind) {
    case 'subgraph':
      return [];
    case 'attribute':
      return [statement.attribute];
    case 'graph_attributes':
    case 'node_defaults':
    case 'edge_defaults':
    case 'node':
    case 'edge':
      return statement.attributes;
  }
}
