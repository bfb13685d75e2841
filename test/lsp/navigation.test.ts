import { describe, expect, it } from 'vitest';
import { definitionAt } from '../../src/lsp/services/definition.js';
import { highlightsAt } from '../../src/lsp/services/highlight.js';
import { referencesAt } from '../../src/lsp/services/references.js';
import { workspaceAt } from './cursor.js';

// `<|>` is the cursor; what is found is shown in its line, between « and ».

const flow = `digraph G {
  graph [goal="g", inputs="files: list, mode: low|high = low", model_stylesheet="* { llm_model: m } #fix { llm_model: n } .deep { reasoning_effort: high }"]
  "check.small"="never more than 3 fix"
  start [shape=Mdiamond]; done [shape=Msquare]
  fix [prompt="Plan: \${context.plan} for \${inputs.mode}", class="deep, fast", writes="plan: string", retry_target=test]
  test [shape=parallelogram, tool_command="run \${stages.fix.output} '\${inputs.files}' \${context.plan.0}", fail_when="stages.fix.notes = x", "assign.seen"="\${context.plan}", reads="plan"]
  start -> fix -> test
  test -> done [condition="outcome=success && context.seen = 1 && plan = 2"]
  test -> fix [condition="outcome=fail"]
}`;

/** A text with its cursor at the end of the first occurrence of some words. */
function after(words: string): string {
  const end = flow.indexOf(words) + words.length;
  return `${flow.slice(0, end)}<|>${flow.slice(end)}`;
}

interface Found {
  readonly start: number;
  readonly end: number;
}

/** What stands around each place, so that a case can be read. */
function shown(spans: readonly Found[], text = flow): readonly string[] {
  return spans.map(
    ({ start, end }) =>
      `${text.slice(Math.max(0, start - 6), start)}«${text.slice(start, end)}»${text.slice(end, end + 4)}`,
  );
}

describe('the places of a name in a file', () => {
  it.each([
    [
      'node ids: statements, edges, targets, stages, conditions, stylesheets and properties',
      '  fix',
      [
        ' m } #«fix» { l',
        'han 3 «fix»"',
        're] «fix» [pr',
        'tages.«fix».out',
        'tages.«fix».not',
        'rt -> «fix» -> ',
        'st -> «fix» [co',
      ],
    ],
    [
      'a node in a retry target',
      'retry_target=te',
      ['arget=«test»]', 'st] «test» [sh', 'ix -> «test» t', 'est «test» ->', '2"] «test» ->'],
    ],
    [
      'keys: lists, assignments, templates, commands and conditions',
      'writes="pl',
      [
        'ntext.«plan»} fo',
        'ites="«plan»: st',
        'ntext.«plan».0}"',
        'ntext.«plan»}", ',
        'eads="«plan»"]\n ',
        '1 && «plan» = 2',
      ],
    ],
    ['inputs', 'inputs="files: list, mo', ['list, «mode»: lo', 'nputs.«mode»}", ']],
    ['classes', '.de', ['n } .«deep» { r', 'lass="«deep», fa']],
    ['a key that an attribute sets', 'assign.se', ['ssign.«seen»"="$', 'ntext.«seen» = 1']],
    ['nothing in a text', 'graph [goal="g', []],
  ])('are those of %s', (_name, words, expected) => {
    const { pipeline, offset } = workspaceAt({ 'main.dot': after(words) });
    const found = shown(highlightsAt(pipeline, offset).map(({ span }) => span));
    const inOneLine = (one: string) => one.replaceAll(/\s+/g, ' ').trim();
    expect(found.map(inOneLine)).toEqual(expected.map(inOneLine));
  });
});

describe('the definition', () => {
  it.each([
    ['of a node is its statement', 'test -> fi', ['«fix» [pr']],
    ['of a key are the stages that write it', 'context.pla', ['ites="«plan»: st']],
    ['of an input is its declaration', '${inputs.mo', ['list, «mode»: lo']],
    ['of a class are the nodes that have it', '.de', ['lass="«deep», fa']],
  ])('%s', (_name, words, expected) => {
    const { pipeline, offset, neighbours } = workspaceAt({ 'main.dot': after(words) });
    const found = shown(definitionAt(pipeline, offset, neighbours).map(({ span }) => span));
    expect(found).toHaveLength(expected.length);
    for (const [index, one] of expected.entries()) expect(found[index]).toContain(one);
  });

  it('of a node that only edges mention is the first of them', () => {
    const { pipeline, offset, neighbours } = workspaceAt({
      'main.dot': 'digraph G { a -> b -> c; c -> <|>b }',
    });
    expect(definitionAt(pipeline, offset, neighbours)).toEqual([
      { uri: 'file:///w/main.dot', span: { start: 17, end: 18 } },
    ]);
  });

  it('of a child and of a prompt is its file', () => {
    const { pipeline, offset, neighbours } = workspaceAt({
      'main.dot': 'digraph G { a [type=pipeline, child="sub/ch<|>ild.dot"] }',
    });
    expect(definitionAt(pipeline, offset, neighbours)).toEqual([
      { uri: 'file:///w/sub/child.dot', span: { start: 0, end: 0 } },
    ]);
  });
});

describe('the references', () => {
  const child = `digraph Child { graph [inputs="files: list"]; a [prompt="\${inputs.files}"] }`;
  const parent = 'digraph Parent { run [type=pipeline, child="child.dot", "params.files"="x"] }';

  it.each([
    ['from the child', { 'child.dot': child.replace('"files', '"fi<|>les'), 'parent.dot': parent }],
    [
      'from the stage that passes it',
      { 'parent.dot': parent.replace('params.files', 'params.fi<|>les'), 'child.dot': child },
    ],
  ])('of an input are in all files, asked %s', (_name, texts) => {
    const { pipeline, offset, neighbours } = workspaceAt(texts);
    const found = referencesAt(pipeline, offset, neighbours).map(
      ({ uri, mention: { span } }) => `${uri} ${span.start}`,
    );
    expect(found.toSorted()).toEqual([
      `file:///w/child.dot ${child.indexOf('files:')}`,
      `file:///w/child.dot ${child.indexOf('files}')}`,
      `file:///w/parent.dot ${parent.indexOf('files"=')}`,
    ]);
  });

  it('of a node are in the prompts of files, too', () => {
    const { pipeline, offset, neighbours } = workspaceAt({
      'main.dot': 'digraph G { te<|>st; fix [prompt_file="fix.md"] }',
      'fix.md': 'Repair ${stages.test.output}.',
    });
    const found = referencesAt(pipeline, offset, neighbours).map(({ uri, mention: { span } }) => [
      uri,
      span.start,
    ]);
    expect(found).toEqual([
      ['file:///w/main.dot', 12],
      ['file:///w/fix.md', 16],
    ]);
  });

  it('of a file are all stages that run it', () => {
    const { pipeline, offset, neighbours } = workspaceAt({
      'one.dot': 'digraph G { a [type=pipeline, child="chi<|>ld.dot"] }',
      'two.dot': 'digraph H { b [type=pipeline, child="child.dot"] }',
      'child.dot': child,
    });
    const uris = referencesAt(pipeline, offset, neighbours).map(({ uri }) => uri);
    expect(uris).toEqual(['file:///w/one.dot', 'file:///w/two.dot']);
  });
});
