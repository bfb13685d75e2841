import { describe, expect, test } from 'vitest';
import { compile } from '../../../src/compiler/compile.js';
import type { Diagnostic } from '../../../src/diagnostic/diagnostic.js';
import {
  type ConditionScope,
  evaluateCondition,
  keysOf,
  resolveKey,
} from '../../../src/graph/evaluate-condition.js';
import type { Edge, Graph, Node } from '../../../src/graph/graph.js';
import type { JsonValue } from '../../../src/graph/json.js';
import { knownHandlerTypes } from '../../../src/graph/known-handler-types.js';
import type { Program } from '../../../src/graph/program.js';
import { conditionOf } from '../../../src/graph/queries.js';
import { unwrittenReads } from '../../../src/lint/analysis/unwritten-reads.js';
import { type ValueFlow, valueFlow } from '../../../src/lint/analysis/value-flow.js';
import type { Alternative, Shape } from '../../../src/lint/analysis/value-shape.js';
import { conditionScope } from '../../../src/machine/context.js';
import type { RunEvent } from '../../../src/machine/event.js';
import { evolve } from '../../../src/machine/evolve/evolve.js';
import { initialState, mainCursor, type RunState } from '../../../src/machine/state.js';
import type { Comparison } from '../../../src/parser/condition/ast.js';
import { clausesOf } from '../../../src/parser/condition/clauses-of.js';
import type { Clause } from '../../../src/parser/condition/print.js';
import { fitsType } from '../../../src/parser/key-list/value-type.js';
import { simulate } from '../../../src/run/simulate/simulate.js';
import type { ScriptEntry } from '../../../src/run-directory/simulation-script.js';
import {
  assigned,
  type Declared,
  declared,
  declaredKeys,
  type Entry,
  entry,
  ids,
  lists,
  paths,
  pipelines,
} from '../../lint/random-values.js';
import { fc, runsOf } from '../../support/fast-check.js';

const numRuns = runsOf(200);
/** In milliseconds for one pipeline, of which most take a fiftieth: only what hangs should fail. */
const longest = 4000;
const handlerTypes = knownHandlerTypes();

/** Outcome that keeps to what its stage declares. */
function outcomeOf(node: Node, { outcome, all, updates: drawn, free }: Entry): ScriptEntry {
  const writes = String(node.attributes.get('writes')?.value ?? '');
  const own = declaredKeys.filter((key) => new RegExp(`\\b${key}:`).test(writes));
  const isSet = (key: Declared): boolean => drawn[key] !== undefined || all;
  const set = own
    .filter(isSet)
    .map((key): [string, JsonValue] => [key, drawn[key] ?? declared[key].values[0]]);
  const isTool = node.attributes.get('shape')?.value === 'parallelogram';
  return {
    outcome: (isTool && outcome === 'skipped' ? 'success' : outcome) as ScriptEntry['outcome'],
    context_updates: {
      ...(writes === '' ? (free as Record<string, JsonValue>) : {}),
      ...Object.fromEntries(set),
    },
  };
}

/** Something that a run shows at a node. */
interface Moment {
  readonly nodeId: string;
  readonly kind: 'before' | 'after';
  readonly scope: ConditionScope;
}

function momentsOf(program: Program, events: readonly RunEvent[]): readonly Moment[] {
  const moments: Moment[] = [];
  let state: RunState = initialState;
  for (const event of events) {
    if (event.type === 'EdgeSelected' && event.reason !== 'goal_gate') {
      const cursor = state.cursors.get(event.branch ?? mainCursor);
      const outcome = cursor?.routedOutcome;
      if (cursor !== undefined && outcome !== undefined)
        moments.push({ nodeId: event.from, kind: 'after', scope: conditionScope(cursor, outcome) });
    }
    state = evolve(program, state, event);
    if (event.type === 'StageStarted') {
      const cursor = state.cursors.get(event.branch ?? mainCursor);
      if (cursor !== undefined)
        moments.push({
          nodeId: event.node_id,
          kind: 'before',
          scope: conditionScope(cursor, cursor.routedOutcome ?? { status: 'success' }),
        });
    }
  }
  return moments;
}

function admits(shape: Shape, value: JsonValue | undefined): boolean {
  return [...shape.values()].some((one) => admitsOne(one, value));
}

function admitsOne(one: Alternative, value: JsonValue | undefined): boolean {
  const isMissing = value === undefined || value === null;
  switch (one.kind) {
    case 'missing':
      return isMissing;
    case 'present':
      return !isMissing;
    case 'constant':
      return JSON.stringify(value) === JSON.stringify(one.value);
    case 'type':
      return !isMissing && fitsType(one.type, value);
  }
}

/** Claim of lint about a clause of an edge, with the truth that contradicts it. */
interface Claim {
  readonly edge: Edge;
  readonly clause: Clause;
  readonly refutedBy: boolean;
}

function claimsOf(graph: Graph, diagnostics: readonly Diagnostic[]): readonly Claim[] {
  return diagnostics
    .filter(({ rule }) => rule === 'value_type')
    .flatMap(({ span, message, edge: ends }) => {
      const edge = graph.edges.find(({ attributes }) => {
        const { start = 0, end = -1 } = attributes.get('condition')?.valueSpan ?? {};
        return ends !== undefined && start <= span.start && span.end <= end;
      });
      const found = edge && clauseAt(edge, span.start);
      if (edge === undefined || found === undefined) return [];
      return [{ edge, ...refutation(found, message) }];
    });
}

/** Clause around a position; escapes before it only make the position larger. */
function clauseAt(edge: Edge, position: number): Clause | undefined {
  const attribute = edge.attributes.get('condition');
  const { condition: parsed } = conditionOf(edge);
  if (attribute === undefined || parsed === undefined) return undefined;
  const text = String(attribute.value);
  const written = text.replaceAll('"', '\\"');
  const at = position - attribute.valueSpan.start - 1;
  const escapes = written.slice(0, at).split('\\').length - 1;
  return clausesOf(parsed).find(({ span }) => span.start <= at - escapes && at - escapes < span.end);
}

function refutation(found: Clause, message: string): Pick<Claim, 'clause' | 'refutedBy'> {
  if (message.includes('is always empty')) {
    const [key] = keysOf(found);
    return key === undefined
      ? { clause: found, refutedBy: true }
      : { clause: { kind: 'exists', key, span: found.span }, refutedBy: true };
  }
  const word = /is never ("(?:[^"\\]|\\.)*"):/.exec(message)?.[1];
  if (word === undefined || found.kind !== 'comparison')
    return { clause: found, refutedBy: !message.includes('always holds') };
  const isList = found.right.kind === 'list';
  const value: Comparison['right'] = {
    kind: 'literal',
    value: JSON.parse(word),
    quoted: false,
    span: found.span,
  };
  const right: Comparison['right'] = isList ? { kind: 'list', items: [value], span: found.span } : value;
  return { clause: { ...found, operator: isList ? 'in' : '=', right }, refutedBy: true };
}

function shapeAt(flow: ValueFlow, node: Node, { kind }: Moment, key: string): Shape {
  return kind === 'before' ? flow.before(node, key) : flow.after(node, key);
}

/**
 * Reads of which lint says that they find nothing, by the moment that shows it. `read_before_write` takes keys that are assigned
 * for keys of the stages that assign them, so that those which others set here as well are left out.
 */
function absentReads(graph: Graph): readonly (Pick<Moment, 'nodeId' | 'kind'> & { readonly path: string })[] {
  return [...unwrittenReads(graph, handlerTypes)].flatMap((found) => {
    const { read } = found;
    const isOfOthers = assigned.some((key) => key === read.key);
    const isClaim =
      (found.kind === 'never' && !isOfOthers) || (found.kind === 'nobody' && found.way !== undefined);
    const kind = read.by === 'condition' ? 'after' : 'before';
    return isClaim && !read.path.startsWith('stages.')
      ? [{ nodeId: read.node.id, kind, path: read.path }]
      : [];
  });
}

/** Stages of which lint says that they never succeed, because an assignment does not fit their `writes`. */
function hopelessStages(diagnostics: readonly Diagnostic[]): ReadonlySet<string> {
  const found = diagnostics.filter(({ message }) => message.includes('so the stage never succeeds'));
  return new Set(found.flatMap(({ nodeId }) => nodeId ?? []));
}

/** Everything that lint says of a pipeline, and what it has been compared with. */
class Claims {
  readonly #text: string;
  readonly #graph: Graph;
  readonly #flow: ValueFlow;
  readonly clauses: readonly Claim[];
  readonly absent: ReturnType<typeof absentReads>;
  readonly hopeless: ReadonlySet<string>;
  readonly count = { checked: 0, values: 0, known: 0, absent: 0, succeeded: 0 };

  constructor(text: string, graph: Graph, diagnostics: readonly Diagnostic[]) {
    this.#text = text;
    this.#graph = graph;
    this.#flow = valueFlow(graph, handlerTypes);
    this.clauses = claimsOf(graph, diagnostics);
    this.absent = absentReads(graph);
    this.hopeless = hopelessStages(diagnostics);
  }

  compare(program: Program, events: readonly RunEvent[]): void {
    for (const event of events) {
      if (event.type !== 'StageCompleted' || event.outcome.status !== 'success') continue;
      if (this.hopeless.has(event.node_id)) this.#fail(`${event.node_id} has succeeded`);
    }
    for (const moment of momentsOf(program, events)) {
      const node = this.#graph.nodes.get(moment.nodeId);
      if (node === undefined) continue;
      for (const key of paths) this.#compareValue(node, moment, key);
      for (const { nodeId, kind, path } of this.absent) {
        if (nodeId !== moment.nodeId || kind !== moment.kind) continue;
        this.count.absent += 1;
        const value = resolveKey(path, moment.scope) ?? null;
        if (value !== null)
          this.#fail(`${path} is ${JSON.stringify(value)} ${kind} ${nodeId}, and was to be missing`);
      }
      for (const { edge, clause, refutedBy } of moment.kind === 'after' ? this.clauses : []) {
        if (edge.from !== moment.nodeId) continue;
        this.count.checked += 1;
        if (evaluateCondition(clause, moment.scope) === refutedBy)
          this.#fail(`refuted at ${moment.nodeId}: ${JSON.stringify(clause)}`);
      }
    }
  }

  #compareValue(node: Node, moment: Moment, key: string): void {
    if (moment.kind === 'before' && /^(?:result|stages)/.test(key)) return;
    const shape = shapeAt(this.#flow, node, moment, key);
    const value = resolveKey(key, moment.scope);
    this.count.values += 1;
    if (![...shape.values()].some(({ kind }) => kind === 'present')) this.count.known += 1;
    if (admits(shape, value)) return;
    const known = [...shape.keys()].join(' ');
    this.#fail(`${key} is ${JSON.stringify(value)} ${moment.kind} ${node.id}, and was to be ${known}`);
  }

  #fail(message: string): never {
    return expect.fail(`${message}\n${this.#text}`);
  }
}

describe('100, 101, 102, 103, 104, 106, 107: what lint claims about values', () => {
  test(
    'holds in every run in which stages keep to what they declare',
    async () => {
      const sums = {
        compiled: 0,
        clauses: 0,
        hopeless: 0,
        checked: 0,
        values: 0,
        known: 0,
        absent: 0,
        merged: 0,
        items: 0,
      };
      await fc.assert(
        fc.asyncProperty(
          pipelines,
          fc.array(fc.tuple(lists, fc.array(entry, { minLength: 12, maxLength: 12 })), {
            minLength: 4,
            maxLength: 4,
          }),
          async (text, scripts) => {
            const compilation = compile(text);
            const { program, diagnostics, graph } = compilation;
            if (program === undefined || graph === undefined) return;
            const claims = new Claims(text, graph, diagnostics);
            sums.compiled += 1;
            sums.clauses += claims.clauses.length;
            sums.hopeless += claims.hopeless.size;
            for (const [list, drawn] of scripts) {
              const nodes = ids.flatMap((id, index): [string, ScriptEntry[]][] => {
                const node = graph.nodes.get(id);
                if (node === undefined || node.attributes.get('shape')?.value === 'diamond') return [];
                const entries = [...drawn.slice(3 * index), ...drawn.slice(0, 3 * index)];
                return [[id, entries.map((one) => outcomeOf(node, one))]];
              });
              const events: RunEvent[] = [];
              await simulate(compilation, {
                script: { nodes: new Map(nodes), answers: new Map() },
                inputs: { mode: 'high', list },
                start: 0,
                seed: 1,
                onEvent: (event) => events.push(event),
              });
              claims.compare(program, events);
              for (const event of events) {
                if (event.type === 'ParallelStarted' && (event.items ?? []).length > 1) sums.items += 1;
                if (event.type === 'StageCompleted' && event.outcome.notes?.endsWith('merged'))
                  sums.merged += 1;
              }
            }
            for (const key of ['checked', 'values', 'known', 'absent'] as const)
              sums[key] += claims.count[key];
          },
        ),
        { numRuns },
      );
      expect(sums.compiled).toBeGreaterThan(numRuns * 0.8);
      expect(sums.clauses).toBeGreaterThan(numRuns / 10);
      expect(sums.checked).toBeGreaterThan(numRuns / 10);
      expect(sums.known / sums.values).toBeGreaterThan(0.2);
      // Per hundred pipelines about ten hopeless stages, two thousand absent reads, seventy merges, fifty lists of several items.
      for (const some of [sums.hopeless, sums.absent, sums.merged, sums.items])
        expect(some).toBeGreaterThan(numRuns / 30);
    },
    numRuns * longest,
  );
});
