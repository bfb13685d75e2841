import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type CompileOptions, compile } from '../../src/compiler/compile.js';
import { hasErrors } from '../../src/diagnostic/diagnostic.js';
import { ValidationError, validateOrRaise } from '../../src/lint/validate.js';
import { fc } from '../support/fast-check.js';

const pipeline = (...statements: string[]) => `digraph G {\n${statements.join('\n')}\n}`;
const ends = ['start [shape=Mdiamond]', 'exit [shape=Msquare]'];
const sound = pipeline(...ends, 'plan [prompt="Plan"]', 'start -> plan -> exit');

/** What is found in a text, as `severity rule nodeId` (or `from->to`). */
function found(text: string, options?: CompileOptions): readonly string[] {
  return compile(text, options).diagnostics.map(({ severity, rule, nodeId, edge }) =>
    [severity, rule, nodeId ?? edge?.join('->')].filter((part) => part !== undefined).join(' '),
  );
}

describe('compile', () => {
  it('7.4: does not call a rule that is off', () => {
    const rule = {
      name: 'mine',
      severity: 'warning',
      summary: 's',
      apply() {
        throw new Error('it was called');
      },
    } as const;
    expect(found(sound, { rules: [rule], ruleSettings: new Map([['mine', 'off']]) })).toEqual([]);
  });

  it('builds a program exactly when there is no error', () => {
    const programOf = (text: string) => compile(text).program;
    expect(programOf(sound)?.startId).toBe('start');
    expect(programOf(pipeline(...ends, 'plan', 'start -> plan -> exit'))?.exitId).toBe('exit');
    expect(programOf(pipeline(...ends))).toBeUndefined();
    expect(programOf('')).toBeUndefined();
  });

  it('47c, 9.1: lints what the transforms made of the graph', () => {
    const withoutEdges = {
      name: 'cut',
      apply: (graph: ReturnType<typeof compile>['graph']) => ({ ...graph, edges: [] }),
    };
    expect(found(sound, { transforms: [withoutEdges] })).toEqual([
      'warning exit_unreachable start',
      'error reachability exit',
      'error reachability plan',
    ]);
  });

  it('47c: reports a broken stylesheet, though its transform comes first', () => {
    expect(found(pipeline('model_stylesheet="* {"', ...ends, 'start -> exit'))).toEqual([
      'error stylesheet_syntax',
    ]);
  });

  it('runs extra rules after the built-in ones (§7.4)', () => {
    const rule = {
      name: 'graph_has_goal',
      severity: 'warning',
      summary: 'A pipeline has a goal.',
      apply: () => [{ message: 'no goal', span: { start: 0, end: 0 } }],
    } as const;
    expect(found(sound, { rules: [rule] })).toEqual(['warning graph_has_goal']);
  });

  it('knows registered handler types (§4.12)', () => {
    const text = pipeline(...ends, 'plan [type="custom"]', 'start -> plan -> exit');
    expect(found(text, { handlerTypes: ['custom'] })).toEqual([]);
    expect(found(text)).toEqual(['warning type_known plan']);
  });

  it('calls the text by its name', () => {
    expect(compile(sound, { name: 'a/b.dot' }).source.name).toBe('a/b.dot');
  });

  it('reports only syntax errors where there is no graph to speak of', () => {
    for (const text of ['', '// nothing', '{ a -> b }', '-> [', '"digraph G {}"']) {
      expect(new Set(compile(text).diagnostics.map(({ rule }) => rule))).toEqual(new Set(['syntax']));
    }
  });

  it('8: still reports everything else in a file with a syntax error', () => {
    const text = pipeline(
      'start [shape=Mdiamond label="S"]',
      'exit [shape=Msquare]',
      'start -> exit',
      'lost',
    );
    expect(found(text)).toEqual([
      'error syntax',
      'error reachability lost',
      'warning prompt_on_llm_nodes lost',
    ]);
  });

  it('never throws, and says something wherever it builds no program', () => {
    const word = fc.constantFrom(
      ...['digraph', 'G', '{', '}', '[', ']', '->', '=', ',', ';', '"a b"', 'start', 'exit', 'node', 'edge'],
      ...[
        'subgraph',
        'shape',
        'Mdiamond',
        'Msquare',
        'condition',
        '"outcome=="',
        'retry_target',
        'goal_gate',
      ],
      ...['true', '1', '--', ':', '#', '/*', '"', '\\', 'type', 'model_stylesheet', '"* { a"', '__proto__'],
    );
    const text = fc.oneof(
      fc.array(word, { maxLength: 40 }).map((words) => words.join(' ')),
      fc.array(word, { maxLength: 40 }).map((words) => `digraph G { ${words.join(' ')} }`),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(text, (input) => {
        const { program, diagnostics } = compile(input);
        expect(program === undefined).toBe(hasErrors(diagnostics));
        for (const { span } of diagnostics) {
          expect(span.start).toBeGreaterThanOrEqual(0);
          expect(span.end).toBeGreaterThanOrEqual(span.start);
          expect(span.end).toBeLessThanOrEqual(input.length);
        }
      }),
    );
  });
});

describe("the specification's examples (§2.13, §8.6, §11.13)", () => {
  const folder = new URL('../../examples/spec/', import.meta.url);
  const findings: Readonly<Record<string, readonly string[]>> = {
    'branch.dot': ['warning unbounded_loop implement'],
    'human-gate.dot': ['warning implicit_node ship_it', 'warning implicit_node fixes'],
    'simple.dot': [],
    'smoke-test.dot': ['warning unbounded_loop plan', 'warning goal_gate_has_retry implement'],
    'stylesheet.dot': ['plan', 'implement', 'critical_review'].map((id) => `info prompt_on_llm_nodes ${id}`),
  };

  it('are all here', () => {
    expect(readdirSync(folder).sort()).toEqual(Object.keys(findings));
  });

  it.each(Object.entries(findings))('%s lints without errors', (file, expected) => {
    const text = readFileSync(new URL(file, folder), 'utf8');
    expect(found(text)).toEqual(expected);
    expect(compile(text).program).toBeDefined();
  });
});

describe('§11.2', () => {
  it.each<readonly [line: string, text: string, expected: readonly string[]]>([
    [
      'Exactly one start node (shape=Mdiamond) is required: none',
      pipeline('exit [shape=Msquare]', 'a [prompt="A"]', 'a -> exit'),
      ['error start_node'],
    ],
    [
      'Exactly one start node (shape=Mdiamond) is required: two',
      pipeline(...ends, 'other [shape=Mdiamond]', 'start -> exit', 'other -> exit'),
      ['error start_node other'],
    ],
    [
      'Exactly one exit node (shape=Msquare) is required: none',
      pipeline('start [shape=Mdiamond]', 'a [prompt="A"]', 'start -> a'),
      ['error terminal_node'],
    ],
    [
      'Exactly one exit node (shape=Msquare) is required: two',
      pipeline(...ends, 'other [shape=Msquare]', 'start -> exit', 'start -> other'),
      ['error terminal_node other'],
    ],
    [
      'Start node has no incoming edges',
      pipeline(...ends, 'a [prompt="A"]', 'start -> a -> exit', 'a -> start'),
      ['error start_no_incoming start'],
    ],
    [
      'Exit node has no outgoing edges',
      pipeline(...ends, 'a [prompt="A"]', 'start -> a -> exit', 'exit -> a'),
      ['error exit_no_outgoing exit'],
    ],
    [
      'All nodes are reachable from start (no orphans)',
      pipeline(...ends, 'a [prompt="A"]', 'start -> exit'),
      ['error reachability a'],
    ],
    [
      'All edges reference valid node IDs',
      pipeline(...ends, 'start -> exit', 'start -> nowhere'),
      ['error edge_target_exists start->nowhere'],
    ],
    [
      'Codergen nodes (shape=box) have non-empty `prompt` attribute (warning if missing)',
      pipeline(...ends, 'a [shape=box]', 'b [shape=box, prompt=""]', 'start -> a -> b -> exit'),
      ['warning prompt_on_llm_nodes a', 'warning prompt_on_llm_nodes b'],
    ],
    [
      'Condition expressions on edges parse without errors',
      pipeline(...ends, 'start -> exit [condition="outcome &&"]'),
      ['error condition_syntax start->exit'],
    ],
  ])('%s', (_, text, expected) => {
    // The section speaks of errors and warnings; what else there is to say (SEMANTICS 54a) is not its matter.
    expect(found(text).filter((finding) => !finding.startsWith('info '))).toEqual(expected);
  });

  it('`validate_or_raise()` throws on error-severity violations', () => {
    expect(() => validateOrRaise(compile(pipeline(...ends)).graph)).toThrow(ValidationError);
    expect(() => validateOrRaise(compile(sound).graph)).not.toThrow();
  });

  it('Lint results include rule name, severity (error/warning), node/edge ID, and message', () => {
    const [orphan] = compile(pipeline(...ends, 'a [prompt="A"]', 'start -> exit')).diagnostics;
    expect(orphan).toMatchObject({ rule: 'reachability', severity: 'error', nodeId: 'a' });
    expect(orphan?.message).toBe('node "a" is unreachable from start (orphan)');
    const dangling = compile(
      pipeline(...ends, 'start -> exit', 'start -> exot [condition="outcome=success"]'),
    ).diagnostics.find(({ edge }) => edge?.includes('exot'));
    expect(dangling).toMatchObject({
      rule: 'edge_target_exists',
      severity: 'error',
      edge: ['start', 'exot'],
    });
    expect(dangling?.message).toBe('the edge leads to "exot", which is not a node (did you mean "exit"?)');
  });
});
