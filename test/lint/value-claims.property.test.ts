import { describe, expect, test } from 'vitest';
import { compile } from '../../src/compiler/compile.js';
import type { Diagnostic } from '../../src/diagnostic/diagnostic.js';
import {
  type ConditionScope,
  evaluateCondition,
  keysOf,
  resolveKey,
} from '../../src/graph/evaluate-condition.js';
import type { Edge, Graph, Node } from '../../src/graph/graph.js';
import type { JsonValue } from '../../src/graph/json.js';
import { knownHandlerTypes } from '../../src/graph/known-handler-types.js';
import type { Program } from '../../src/graph/program.js';
import { conditionOf } from '../../src/graph/queries.js';
import { type ValueFlow, valueFlow } from '../../src/lint/analysis/value-flow.js';
import type { Alternative, Shape } from '../../src/lint/analysis/value-shape.js';
import { conditionScope } from '../../src/machine/context.js';
import type { RunEvent } from '../../src/machine/event.js';
import { evolve } from '../../src/machine/evolve/evolve.js';
import { initialState, mainCursor, type RunState } from '../../src/machine/state.js';
import type { Comparison } from '../../src/parser/condition/ast.js';
import { clausesOf } from '../../src/parser/condition/clauses-of.js';
import type { Clause } from '../../src/parser/condition/print.js';
import { fitsType } from '../../src/parser/key-list/value-type.js';
import { simulate } from '../../src/run/simulate/simulate.js';
import type { ScriptEntry } from '../../src/run-directory/simulation-script.js';
import { fc, runsOf } from '../support/fast-check.js';

const numRuns = runsOf({ quick: 60, thorough: 2500 });
const handlerTypes = knownHandlerTypes();

/** Keys that `writes` declare, with their types and all the values that a stage may give them. */
const declared = {
  verdict: { type: 'pass|fail', values: ['pass', 'fail'] },
  n: { type: 'integer', values: [0, 3, -1, 12] },
  ratio: { type: 'number', values: [0.5, 3, 1e21] },
  ready: { type: 'boolean', values: [true, false] },
  files: { type: 'list', values: [[], ['a', 'b'], [3]] },
  by: { type: 'map', values: [{}, { x: 1 }] },
  note: { type: 'string', values: ['', 'pass', '3', '[]'] },
} as const satisfies Record<string, { readonly type: string; readonly values: readonly JsonValue[] }>;
type Declared = keyof typeof declared;
const declaredKeys = Object.keys(declared) as readonly Declared[];
/** Keys that are assigned only, which a stage that declares nothing may set as well. */
const assigned = ['phase', 'seen'] as const;

const ids = ['n0', 'n1', 'n2', 'n3'] as const;
const paths = [
  ...declaredKeys.map((key) => `context.${key}`),
  ...assigned.map((key) => `context.${key}`),
  'inputs.limit',
  'inputs.mode',
  'inputs.list',
  'inputs.token',
  'result.success',
  'stages.n1.visits',
  'stages.n1.success',
  'internal.restart_count',
  'context.by.x',
  'context.n.x',
  'context.phase.a',
] as const;
const literals = ['pass', 'fail', 'maybe', '3', '3.0', '0.5', 'true', '"[]"', '""', 'low', 'draft', '12'];

const path = fc.constantFrom(...paths);
const literal = fc.constantFrom(...literals);
const clause = fc.oneof(
  fc.tuple(path, fc.constantFrom('=', '!=', '<', '>='), literal).map((parts) => parts.join(' ')),
  fc
    .tuple(path, fc.constantFrom('in', 'not in'), fc.array(literal, { minLength: 1, maxLength: 3 }))
    .map(([key, sign, items]) => `${key} ${sign} [${items.join(', ')}]`),
  fc
    .tuple(path, fc.constantFrom('contains', 'matches'), fc.constantFrom('"a"', '"pas"', '"3"'))
    .map((p) => p.join(' ')),
  path,
);
const condition = fc.oneof(
  clause,
  fc.constantFrom('outcome=success', 'outcome=fail', 'outcome!=fail'),
  fc.tuple(fc.constantFrom('outcome=success', 'outcome=fail'), clause).map((parts) => parts.join(' && ')),
  fc.tuple(clause, clause).map((parts) => parts.join(' || ')),
);

const assignment = fc.tuple(
  fc.constantFrom(...assigned),
  fc.constantFrom(
    'draft',
    '3',
    '{\\"a\\": 1}',
    '${context.verdict}',
    '${inputs.limit}',
    '${context.phase}',
    'x ${context.n}',
  ),
);

const stage = fc.record({
  shape: fc.constantFrom('box', 'parallelogram', 'diamond'),
  writes: fc.option(fc.subarray([...declaredKeys], { maxLength: 3 }), { nil: undefined }),
  optional: fc.boolean(),
  reads: fc.boolean(),
  assignment: fc.option(assignment, { nil: undefined }),
  more: fc.constantFrom(
    '',
    '',
    'on_failure=continue',
    'allow_partial=true',
    'fail_when="context.n > 2"',
    'retry_target=n0',
  ),
  edges: fc.array(
    fc.record({
      to: fc.constantFrom(...ids, 'exit'),
      condition: fc.option(condition, { nil: undefined }),
      more: fc.constantFrom('', '', '', 'weight=2', 'loop_restart=true'),
    }),
    { minLength: 1, maxLength: 4 },
  ),
});
type Stage = typeof stage extends fc.Arbitrary<infer Value> ? Value : never;

function writtenStage(id: string, one: Stage): string {
  const list = one.shape === 'diamond' ? undefined : one.writes;
  const attributes = [
    `shape=${one.shape}`,
    one.shape === 'parallelogram' ? 'tool_command="true"' : 'prompt="x"',
    list && list.length > 0
      ? `writes="${list.map((key) => `${key}: ${declared[key].type}${one.optional ? '?' : ''}`).join(', ')}"`
      : '',
    list && list.length > 0 && one.reads ? `reads="${list[0]}"` : '',
    one.assignment === undefined ? '' : `"assign.${one.assignment[0]}"="${one.assignment[1]}"`,
    one.more,
  ];
  return `${id} [${attributes.filter((text) => text !== '').join(', ')}]`;
}

const pipelines = fc
  .record({ stages: fc.array(stage, { minLength: ids.length, maxLength: ids.length }), forks: fc.boolean() })
  .map(({ stages, forks }) => {
    const edges = stages.flatMap(({ edges: own }, index) => [
      ...own.map(({ to, condition: text, more }) => {
        const attributes = [text === undefined ? '' : `condition="${text.replaceAll('"', '\\"')}"`, more];
        return `${ids[index]} -> ${to} [${attributes.filter((part) => part !== '').join(', ')}]`;
      }),
      `${ids[index]} -> ${ids[index + 1] ?? 'exit'} [condition="context.never=1"]`,
    ]);
    return [
      'digraph G {',
      'graph [max_steps=14, inputs="limit: integer = 3, mode: low|high = low, list: list = [], token: string?"]',
      'start [shape=Mdiamond, "assign.phase"="draft"]',
      'exit [shape=Msquare]',
      ...stages.map((one, index) => writtenStage(ids[index] ?? '', one)),
      ...(forks
        ? ['fork [shape=component]', 'start -> fork', 'fork -> n1', 'fork -> n2', 'n0 -> exit']
        : ['start -> n0']),
      ...edges,
      '}',
    ].join('\n');
  });

const updates = fc.record(
  Object.fromEntries(declaredKeys.map((key) => [key, fc.constantFrom<JsonValue>(...declared[key].values)])),
  { requiredKeys: [] },
) as fc.Arbitrary<Partial<Record<string, JsonValue>>>;

const entry = fc.record({
  outcome: fc.constantFrom('success', 'success', 'success', 'fail', 'partial_success', 'skipped', 'retry'),
  all: fc.boolean(),
  updates,
  free: fc.record(
    { phase: fc.constantFrom<JsonValue>('final', 7, null), seen: fc.constantFrom<JsonValue>('maybe', []) },
    { requiredKeys: [] },
  ),
});
type Entry = typeof entry extends fc.Arbitrary<infer Value> ? Value : never;

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

describe('101, 102, 103, 104: what lint claims about values', () => {
  test('holds in every run in which stages keep to what they declare', async () => {
    let [claims, checked, values, known] = [0, 0, 0, 0];
    await fc.assert(
      fc.asyncProperty(
        pipelines,
        fc.array(fc.array(entry, { minLength: 12, maxLength: 12 }), { minLength: 4, maxLength: 4 }),
        async (text, scripts) => {
          const compilation = compile(text);
          const { program, diagnostics, graph } = compilation;
          if (program === undefined || graph === undefined) return;
          const flow = valueFlow(graph, handlerTypes);
          const own = claimsOf(graph, diagnostics);
          claims += own.length;
          for (const drawn of scripts) {
            const nodes = ids.flatMap((id, index): [string, ScriptEntry[]][] => {
              const node = graph.nodes.get(id);
              if (node === undefined || node.attributes.get('shape')?.value === 'diamond') return [];
              const entries = [...drawn.slice(3 * index), ...drawn.slice(0, 3 * index)];
              return [[id, entries.map((one) => outcomeOf(node, one))]];
            });
            const events: RunEvent[] = [];
            await simulate(compilation, {
              script: { nodes: new Map(nodes), answers: new Map() },
              inputs: { mode: 'high' },
              start: 0,
              seed: 1,
              onEvent: (event) => events.push(event),
            });
            for (const moment of momentsOf(program, events)) {
              const node = graph.nodes.get(moment.nodeId);
              if (node === undefined) continue;
              for (const key of paths) {
                if (moment.kind === 'before' && /^(?:result|stages)/.test(key)) continue;
                const shape = shapeAt(flow, node, moment, key);
                const value = resolveKey(key, moment.scope);
                values += 1;
                if (![...shape.values()].some(({ kind }) => kind === 'present')) known += 1;
                if (!admits(shape, value))
                  expect.fail(
                    `${key} is ${JSON.stringify(value)} ${moment.kind} ${moment.nodeId}, and was to be ${[...shape.keys()].join(' ')}\n${text}`,
                  );
              }
              if (moment.kind === 'before') continue;
              for (const { edge, clause: one, refutedBy } of own) {
                if (edge.from !== moment.nodeId) continue;
                checked += 1;
                if (evaluateCondition(one, moment.scope) === refutedBy)
                  expect.fail(`refuted: ${JSON.stringify(one)} at ${moment.nodeId}\n${text}`);
              }
            }
          }
        },
      ),
      { numRuns },
    );
    expect(claims).toBeGreaterThan(numRuns / 10);
    expect(checked).toBeGreaterThan(numRuns / 10);
    expect(known / values).toBeGreaterThan(0.2);
  });
});
