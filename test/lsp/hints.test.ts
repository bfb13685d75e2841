import { describe, expect, it } from 'vitest';
import { callItemAt, incomingCalls, outgoingCalls } from '../../src/lsp/services/call-hierarchy.js';
import { codeLenses } from '../../src/lsp/services/code-lenses.js';
import { documentLinks } from '../../src/lsp/services/document-links.js';
import { inlayHints } from '../../src/lsp/services/inlay-hints.js';
import { signatureAt } from '../../src/lsp/services/signature-help.js';
import { PipelineText } from '../../src/lsp/services/text/pipeline-text.js';
import { atCursor, workspaceAt } from './cursor.js';

const whole = (text: string) => ({ start: 0, end: text.length });

describe('inlay hints', () => {
  it('say the kind of stage, its model, its join, and how often it can run', () => {
    const text = `digraph G { graph [llm_model="m-1", max_steps=50]; start [shape=Mdiamond]; done [shape=Msquare]
      each [shape=component]; one; two; meet [shape=tripleoctagon]; fix [max_visits=3]; test [shape=parallelogram]
      start -> each; each -> one -> meet; each -> two -> meet; meet -> fix -> test; test -> fix [condition="outcome=fail"]; test -> done }`;
    const hints = inlayHints(new PipelineText('main.dot', text), whole(text)).map((hint) => hint.text);
    expect(hints).toEqual([
      'Start',
      'Exit',
      'Parallel fan-out · joins at meet',
      'LLM stage · m-1',
      'LLM stage · m-1',
      'Parallel fan-in · m-1',
      'LLM stage · m-1 · at most 3×',
      'Tool · at most 50×',
    ]);
  });

  it('count the visits of a branch', () => {
    const text = `digraph G { start [shape=Mdiamond]; done [shape=Msquare]; each [shape=component]; meet [shape=tripleoctagon]
      fix [max_visits=3]; test [shape=parallelogram]; other; start -> each; each -> fix -> test -> meet -> done
      each -> other -> meet; test -> fix [condition="outcome=fail"] }`;
    const hints = inlayHints(new PipelineText('main.dot', text), whole(text));
    expect(hints.filter(({ text: hint }) => hint.includes('at most')).map(({ text: hint }) => hint)).toEqual([
      'LLM stage · at most 3× a branch',
      'Tool · at most 1000× a branch',
    ]);
  });

  it('count jumps after failures as loops', () => {
    const text = 'digraph G { a; b [retry_target=a, shape=parallelogram]; a -> b }';
    const hints = inlayHints(new PipelineText('main.dot', text), whole(text)).map((hint) => hint.text);
    expect(hints.every((hint) => hint.includes('at most 1000×'))).toBe(true);
  });

  it('stay in the range', () => {
    const text = 'digraph G { a; b }';
    expect(inlayHints(new PipelineText('main.dot', text), { start: 15, end: 16 })).toMatchObject([
      { offset: 16 },
    ]);
  });
});

describe('signature help', () => {
  it.each([
    ['outcome=<|>', 'KEY = TEXT'],
    ['outcome=fail && context.n <<|>', 'KEY < NUMBER'],
    ['context.kind in [<|>', 'KEY in [WORD, …]'],
    ['context.kind not in [low, <|>', 'KEY in [WORD, …]'],
    ['(context.text contains <|>', 'KEY contains TEXT'],
    ['context.text matches <|>', 'KEY matches PATTERN'],
    ['!exists <|>', 'exists KEY'],
    ['outc<|>', undefined],
  ])('of %s is %s', (condition, label) => {
    const { pipeline, offset } = atCursor(`digraph G { a -> b [condition="${condition}"] }`);
    expect(signatureAt(pipeline, offset)?.label).toBe(label);
  });

  it('is for conditions alone', () => {
    const { pipeline, offset } = atCursor('digraph G { a [prompt="outcome=<|>"] }');
    expect(signatureAt(pipeline, offset)).toBeUndefined();
  });
});

describe('links', () => {
  it('are the paths of children and prompts', () => {
    const { pipeline } = workspaceAt({
      'main.dot':
        'digraph G { graph ["stack.child_dotfile"="m.dot"]; a [type=pipeline, child="sub/c.dot"]; b [prompt_file="b.md"] }<|>',
    });
    expect(documentLinks(pipeline).map(({ target }) => target)).toEqual([
      'file:///w/m.dot',
      'file:///w/sub/c.dot',
      'file:///w/b.md',
    ]);
  });
});

describe('the call hierarchy', () => {
  const texts = {
    'main.dot':
      'digraph Main { one [type=pipeline, child="c.dot"]; two [type=pipeline, child="c.dot"]; a<|> }',
    'c.dot': 'digraph C { deep [type=pipeline, child="d.dot"] }',
    'd.dot': 'digraph D { x }',
  };

  it('has the pipelines that stages run', () => {
    const { pipeline, offset, neighbours } = workspaceAt(texts);
    expect(callItemAt(pipeline, offset, neighbours)?.name).toBe('Main');
    const [call, ...others] = outgoingCalls(pipeline, neighbours);
    expect(call?.item.name).toBe('C');
    expect(call?.places).toHaveLength(2);
    expect(others).toEqual([]);
  });

  it('has the pipelines that run one', () => {
    const { neighbours } = workspaceAt(texts);
    const child = neighbours.pipeline('file:///w/d.dot');
    expect(child && incomingCalls(child, neighbours).map(({ item }) => item.name)).toEqual(['C']);
  });

  it.each([
    ['a stage that runs one', texts['main.dot'].replace('a<|>', 'a').replace('one [', 'o<|>ne [')],
    ['its path', texts['main.dot'].replace('a<|>', 'a').replace('"c.dot"]; a', '"c.<|>dot"]; a')],
  ])('begins at %s', (_name, main) => {
    const { pipeline, offset, neighbours } = workspaceAt({ ...texts, 'main.dot': main });
    expect(callItemAt(pipeline, offset, neighbours)?.name).toBe('C');
  });
});

describe('code lenses', () => {
  const pipeline = new PipelineText('main.dot', 'digraph G { a; b }');
  const titles = (facts: Partial<Parameters<typeof codeLenses>[1]>) =>
    codeLenses(pipeline, { hasTests: false, runs: 0, failures: new Map(), ...facts }).map(
      ({ title }) => title,
    );

  it.each([
    ['without tests', {}, ['run', 'simulate', 'draw']],
    ['with tests', { hasTests: true }, ['run', 'simulate', 'draw', 'test']],
    [
      'after tests',
      { hasTests: true, coverage: 'tests cover 1 of 2 nodes' },
      ['run', 'simulate', 'draw', 'test', 'tests cover 1 of 2 nodes'],
    ],
    [
      'after runs, also of nodes that are gone',
      {
        runs: 12,
        failures: new Map([
          ['b', 3],
          ['gone', 1],
        ]),
      },
      ['run', 'simulate', 'draw', '12 runs, fails here 3'],
    ],
  ])('are %s', (_name, facts, expected) => {
    expect(titles(facts)).toEqual(expected);
  });

  it('are not there without a pipeline', () => {
    expect(
      codeLenses(new PipelineText('main.dot', ''), { hasTests: true, runs: 1, failures: new Map() }),
    ).toEqual([]);
  });
});
